"use strict";
// The reporter in jest's main process; tests run in its workers.
const { id, relative, signature, firstLine, shorten, reporter } = require("./events.cjs");

const emit = reporter();
const SKIPPED = new Set(["pending", "skipped", "todo", "disabled"]);

function outcome(test) {
  if (SKIPPED.has(test.status)) return ["skipped"];
  if (test.status === "failed") {
    // jest says no more of a test that was to fail and did not.
    const said = shorten(firstLine(test.failureMessages && test.failureMessages[0]));
    return test.failing ? ["xpassed", "call", said] : ["failed", "call", said];
  }
  if (test.status !== "passed") return ["error", "call", `jest calls it ${test.status}`];
  if (test.invocations > 1) return ["failed", "call", "passed only when it was run again"];
  return test.failing ? ["xfailed", "call"] : ["passed"];
}

module.exports = class Witness {
  constructor() {
    this.open = new Map();
    this.told = new Map();
  }

  onTestFileStart(test) {
    emit("file", { file: relative(test.path) });
    this.open.set(test.path, []);
    this.told.set(test.path, new Map());
  }

  onTestCaseStart(test, info) {
    const name = id(test.path, [...info.ancestorTitles, info.title]);
    emit("begin", { id: name });
    if (this.open.has(test.path)) this.open.get(test.path).push(name);
  }

  onTestCaseResult(test, one) {
    const told = this.told.get(test.path);
    if (!told) return;
    const name = id(test.path, [...one.ancestorTitles, one.title]);
    told.set(name, (told.get(name) || 0) + 1);
    this.tell(name, one);
  }

  tell(name, one) {
    const [said, phase, sig] = outcome(one);
    emit("end", { id: name, outcome: said, phase, sig, seconds: (one.duration || 0) / 1000 });
  }

  onTestFileResult(test, result) {
    const told = this.told.get(test.path) || new Map();
    const seen = new Set(told.keys());
    const listed = new Set();
    const twice = new Set();
    for (const one of result.testResults) {
      const name = id(test.path, [...one.ancestorTitles, one.title]);
      if (listed.has(name)) twice.add(name);
      listed.add(name);
      seen.add(name);
      const before = told.get(name) || 0;
      if (before > 0) told.set(name, before - 1);
      else this.tell(name, one);
    }
    emit("ids", { ids: [...seen] });
    if (twice.size > 0) emit("duplicates", { ids: [...twice] });
    const error = result.testExecError;
    const words = error && error.stack ? shorten(firstLine(error.stack)) : signature(error);
    const said = words.replace(/ ?\(pid=\d+\)/, "");
    const lost = (this.open.get(test.path) || []).filter((name) => !seen.has(name));
    if (error && (lost.length > 0 || seen.size === 0)) {
      emit("lost", { file: relative(test.path), sig: said });
    } else if (result.failureMessage && seen.size === 0) {
      emit("fault", { file: relative(test.path), sig: shorten(firstLine(result.failureMessage)) });
    }
    emit("filed", { file: relative(test.path) });
  }

  onRunComplete() {
    emit("over");
  }
};
