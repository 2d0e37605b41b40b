"use strict";
// What the launcher and every reporter share: the events file, ids, failure signatures. Everything needed later is taken
// when this is loaded, because some runners run tests in the same process.
const fs = require("node:fs");
const path = require("node:path");

const { openSync, writeSync, closeSync, readFileSync, realpathSync } = fs;
const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = fs.constants;
const stringify = JSON.stringify;
const pid = process.pid;
const settings = JSON.parse(readFileSync(path.join(__dirname, "settings.json"), "utf8"));

// Writes events of one writer; each is counted, and one write to a freshly opened file.
function channel(file, writer) {
  let number = 0;
  let testing = false;
  return function emit(event, fields = {}) {
    if (process.pid !== pid) return;
    // From here on a silence is a test's. Of a worker that spins only jest's tells under which test it does.
    if (!testing && (event === "begin" || (event === "file" && settings.format !== "jest"))) {
      testing = true;
      emit("testing");
    }
    const members = stringify({ w: writer, n: number, ...fields }).slice(1, -1);
    number += 1;
    const text = ascii(`\n{"c2t":"${settings.nonce}","e":"${event}",${members}}\n`);
    let fd;
    try {
      fd = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
    } catch {
      return; // a test made the file unreachable: what is not written is missing, and missing is a failure
    }
    try {
      writeSync(fd, text);
    } catch {
      return;
    } finally {
      closeSync(fd);
    }
  };
}

function ascii(text) {
  return text.replace(/[\u007f-\uffff]/g, (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"));
}

// All events of a file that carry our nonce.
function read(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  const found = [];
  for (const line of text.split("\n")) {
    if (!line.includes(settings.nonce)) continue;
    try {
      const event = JSON.parse(line);
      if (event && event.c2t === settings.nonce) found.push(event);
    } catch {
      continue;
    }
  }
  return found;
}

const given = process.env.C2T_ROOT || process.cwd();
const roots = [given, realpathSync(given)];

function relative(file) {
  let name = String(file);
  if (name.startsWith("file://")) name = require("node:url").fileURLToPath(name);
  name = path.resolve(roots[0], name);
  for (const root of roots) if (name.startsWith(root + path.sep)) return name.slice(root.length + 1);
  return name;
}

function id(file, titles) {
  return `${relative(file)}::${titles.join(" > ")}`;
}

// Type and first line of what was thrown, which may be anything.
function signature(error) {
  let kind = "";
  let text = "";
  try {
    if (error !== null && typeof error === "object") {
      kind = String(error.name || (error.constructor && error.constructor.name) || "");
      text = String(error.message || error.stack || "");
    } else {
      text = String(error);
    }
  } catch {
    text = "<no text>";
  }
  return shorten(kind && !text.startsWith(kind) ? `${kind}: ${firstLine(text)}` : firstLine(text));
}

function firstLine(text) {
  const plain = String(text).replace(/\u001b\[[0-9;]*[A-Za-z]/g, "");
  return plain.split("\n").map((line) => line.trim()).find(Boolean) || "";
}

function shorten(text) {
  let short = text;
  for (const root of roots) short = short.split(root + path.sep).join("");
  return short.slice(0, 1000);
}

// The channel of a reporter, whose events file the launcher names in a variable that tests do not get to see.
function reporter() {
  const file = process.env.C2T_EVENTS;
  delete process.env.C2T_EVENTS;
  delete process.env.C2T_ROOT;
  return channel(file, "r");
}

// Names that stand there more than once.
function repeated(names) {
  const seen = new Set();
  const twice = new Set();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice];
}

const canaries = [`c2t_canary_pass_${settings.nonce}`, `c2t_canary_fail_${settings.nonce}`];

module.exports = { settings, channel, read, relative, id, signature, firstLine, shorten, reporter, repeated, canaries };
