"use strict";
// The reporter inside mocha. It runs in the process of the tests: it takes out what is not to run, plants two tests of
// known outcome, and tells of the others.
const path = require("node:path");
const { settings, read, relative, signature, reporter, repeated, canaries } = require("./events.cjs");

const file = process.env.C2T_EVENTS;
const work = process.env.C2T_ROOT;
const emit = reporter();

function titles(test) {
  const found = [];
  for (let node = test; node && !node.root; node = node.parent) found.unshift(node.title);
  return found;
}

function identity(test) {
  let holder = test;
  while (holder && !holder.file) holder = holder.parent;
  return `${relative((holder && holder.file) || "?")}::${titles(test).join(" > ")}`;
}

function begunBefore() {
  const begun = new Set();
  const round = Number(/\.(\d+)$/.exec(file)[1]);
  for (let number = 0; number < round; number += 1) {
    for (const event of read(path.join(path.dirname(file), `events.${number}`))) {
      if (event.e === "begin") begun.add(event.id);
    }
  }
  return begun;
}

class Canary extends Error {}

module.exports = class Witness {
  constructor(runner) {
    this.ended = new Set();
    this.since = new Map();
    const begun = begunBefore();
    const listed = [];
    runner.suite.eachTest((test) => listed.push(identity(test)));
    const twice = repeated(listed);
    for (let place = 0; place < listed.length; place += 500) emit("ids", { ids: listed.slice(place, place + 500) });
    if (twice.length > 0) emit("duplicates", { ids: twice });
    const ids = settings.ids && new Set(settings.ids);
    const scopes = settings.scopes && new Set(settings.scopes);
    this.prune(runner.suite, (name) =>
      !begun.has(name) && (!ids || ids.has(name)) && (!scopes || scopes.has(name.split("::")[0])));
    this.plant(runner.suite);
    runner.on("test", (test) => this.begin(test));
    runner.on("pass", (test) => this.end(test, "passed", null));
    runner.on("pending", (test) => this.pending(test));
    runner.on("fail", (test, error) => this.fail(test, error));
    runner.on("end", () => emit("over"));
  }

  prune(suite, wanted) {
    suite.tests = suite.tests.filter((test) => wanted(identity(test)));
    for (const inner of suite.suites) this.prune(inner, wanted);
  }

  plant(root) {
    const { Suite, Test } = require(require.resolve("mocha", { paths: [work] }));
    const ours = Suite.create(root, "");
    root.suites.unshift(root.suites.pop());
    ours.file = path.join(work, "c2t");
    ours.addTest(new Test(canaries[0], () => {}));
    ours.addTest(new Test(canaries[1], () => {
      throw new Canary(`canary ${settings.nonce}`);
    }));
  }

  begin(test) {
    this.since.set(test, Date.now());
    emit("begin", { id: identity(test) });
  }

  end(test, outcome, phase, sig) {
    const since = this.since.get(test);
    this.ended.add(test);
    emit("end", { id: identity(test), outcome, phase, sig, seconds: since ? (Date.now() - since) / 1000 : 0 });
  }

  pending(test) {
    this.end(test, "skipped", null);
  }

  fail(test, error) {
    if (test.type !== "hook") {
      this.end(test, "failed", "call", signature(error));
      return;
    }
    const each = /^"(before|after) each"/.test(test.title);
    const before = /^"before /.test(test.title);
    const current = test.ctx && test.ctx.currentTest;
    const phase = before ? "setup" : "teardown";
    if (each && current) this.end(current, "error", phase, signature(error));
    // The tests that a hook stands before are not run; those it stands behind have been.
    if (test.parent && (!each || before)) {
      test.parent.eachTest((one) => {
        if (one !== current && (!before || !this.ended.has(one))) this.end(one, "error", phase, signature(error));
      });
    }
  }
};
