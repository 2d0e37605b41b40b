"use strict";
// The reporter in the process of `node --test`; each test file is a process of its own.
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { id, relative, signature, reporter } = require("./events.cjs");

const emit = reporter();
const begun = new Map(); // the place and name of a test to the ids under which it began
const started = new Map(); // file to the titles on the way to what is told of
const running = new Map(); // the same, as tests are started
const told = new Map(); // file to how many tests it told of
const seen = new Set();

function key(data) {
  return [data.file, data.line, data.column, data.nesting, data.name].join("\0");
}

function titles(table, data) {
  const stack = table.get(data.file) || [];
  stack.length = Math.min(stack.length, data.nesting);
  stack[data.nesting] = data.name;
  table.set(data.file, stack);
  return [...stack];
}

// A file is told of like a test when it holds none, or when its process ends badly.
function isFile(data) {
  if (data.nesting !== 0) return false;
  const name = path.resolve(data.name);
  return data.file === undefined || name === data.file || (path.isAbsolute(data.name) && data.name === data.file);
}

function outcome(type, data) {
  const error = data.details && data.details.error;
  const cause = error && error.cause !== undefined && error.cause !== null ? error.cause : error;
  if (data.skip !== undefined && data.skip !== false) return ["skipped"];
  const todo = data.todo !== undefined && data.todo !== false;
  if (type === "test:pass") return todo ? ["xpassed"] : ["passed"];
  if (todo) return ["xfailed", "call", signature(cause)];
  const hook = error && error.failureType === "hookFailed";
  const cancelled = error && error.failureType === "cancelledByParent";
  return [hook || cancelled ? "error" : "failed", hook || cancelled ? "setup" : "call", signature(cause)];
}

function whole(type, data) {
  const file = data.file || path.resolve(data.name);
  const error = data.details && data.details.error;
  if (type === "test:fail") {
    const code = error && (error.exitCode !== undefined && error.exitCode !== null ? `exit code ${error.exitCode}` : error.signal);
    // A file without tests of the runner's is one check, whose end is its result.
    if (!told.get(file)) end(id(file, ["(file)"]), ["failed", "call", code || signature(error)], data);
    emit("lost", { file: relative(file), sig: code ? `its process ended with ${code}` : signature(error) });
  } else if (!told.get(file)) {
    if (saysTests(file)) emit("fault", { file: relative(file), sig: "its process ended before it told of any test" });
    else end(id(file, ["(file)"]), ["passed"], data);
  }
}

// Whether a file is written for this runner; then it ending well without a word is not its tests passing.
function saysTests(file) {
  try {
    return readFileSync(file, "utf8").includes("node:test");
  } catch {
    return true;
  }
}

function end(name, [said, phase, sig], data, began) {
  if (seen.has(name)) emit("duplicates", { ids: [name] });
  seen.add(name);
  const seconds = ((data.details && data.details.duration_ms) || 0) / 1000;
  emit("end", { id: name, begun: began, outcome: said, phase, sig, seconds });
}

function take({ type, data }) {
  if (type === "test:complete" && isFile(data)) {
    emit("filed", { file: relative(data.file || data.name) });
  } else if (type === "test:dequeue") {
    if (isFile(data)) {
      emit("file", { file: relative(data.file || data.name) });
      return;
    }
    if (data.type === "suite") {
      titles(running, data);
      return;
    }
    const name = id(data.file, titles(running, data));
    const place = key(data);
    begun.set(place, [...(begun.get(place) || []), name]);
    emit("begin", { id: name });
  } else if (type === "test:start") {
    if (!isFile(data)) titles(started, data);
  } else if (type === "test:pass" || type === "test:fail") {
    if (isFile(data)) return whole(type, data);
    const names = titles(started, data);
    told.set(data.file, (told.get(data.file) || 0) + 1);
    const began = (begun.get(key(data)) || []).shift();
    const suite = data.details && data.details.type === "suite";
    if (suite) {
      if (began !== undefined) emit("unbegun", { id: began });
      return;
    }
    end(id(data.file, names), outcome(type, data), data, began);
  }
}

module.exports = async function* witness(source) {
  for await (const event of source) take(event);
  emit("over");
  yield "";
};
