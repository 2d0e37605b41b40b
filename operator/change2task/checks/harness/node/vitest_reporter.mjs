// The reporter in vitest's main process; tests run in its workers.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { id, relative, signature, reporter, repeated } = require("./events.cjs");
const emit = reporter();

function titles(test) {
  const found = [test.name];
  for (let node = test.parent; node && node.type === "suite"; node = node.parent) found.unshift(node.name);
  return found;
}

function outcome(test) {
  const result = test.result();
  const error = result.errors && result.errors[0];
  const fails = Boolean(test.options && test.options.fails);
  if (result.state === "skipped") return ["skipped"];
  if (result.state === "passed") return fails ? ["xfailed", "call"] : ["passed"];
  if (result.state !== "failed") return ["error", "call", `vitest calls it ${result.state}`];
  return fails ? ["xpassed", "call"] : ["failed", "call", signature(error)];
}

export default class Witness {
  onTestModuleQueued(module) {
    emit("file", { file: relative(module.moduleId) });
  }

  onTestModuleCollected(module) {
    const ids = [];
    for (const test of module.children.allTests()) ids.push(id(module.moduleId, titles(test)));
    emit("ids", { ids });
    const twice = repeated(ids);
    if (twice.length > 0) emit("duplicates", { ids: twice });
  }

  onTestCaseReady(test) {
    emit("begin", { id: id(test.module.moduleId, titles(test)) });
  }

  onTestCaseResult(test) {
    const [said, phase, sig] = outcome(test);
    const measured = test.diagnostic();
    const seconds = measured ? measured.duration / 1000 : 0;
    emit("end", { id: id(test.module.moduleId, titles(test)), outcome: said, phase, sig, seconds });
  }

  onTestSuiteResult(suite) {
    // A hook around a whole suite failed: its tests are reported as skipped or as passed.
    const errors = suite.errors();
    if (errors.length === 0) return;
    for (const test of suite.children.allTests()) {
      emit("end", { id: id(suite.module.moduleId, titles(test)), outcome: "error", phase: "setup", sig: signature(errors[0]) });
    }
  }

  onTestModuleEnd(module) {
    emit("filed", { file: relative(module.moduleId) });
    const errors = module.errors();
    if (errors.length === 0) return;
    const tests = [...module.children.allTests()];
    for (const test of tests) {
      emit("end", { id: id(module.moduleId, titles(test)), outcome: "error", phase: "setup", sig: signature(errors[0]) });
    }
    if (tests.length === 0) emit("fault", { file: relative(module.moduleId), sig: signature(errors[0]) });
  }

  onTestRunEnd(modules, unhandled) {
    for (const module of modules) {
      const [error] = module.errors();
      const told = [...module.children.allTests()].length > 0;
      // Of a module that cannot be loaded nothing else is told.
      if (error && !told) emit("fault", { file: relative(module.moduleId), sig: signature(error) });
      if (error && !told) continue;
      if (module.state() !== "failed" && module.state() !== "queued" && module.state() !== "pending") continue;
      const lost = [...module.children.allTests()].filter((test) => test.result().state === "pending");
      if (lost.length > 0 || module.state() !== "failed") {
        emit("lost", { file: relative(module.moduleId), sig: signature(unhandled[0] || "its worker did not come to its end") });
      }
    }
    emit("over");
  }
}
