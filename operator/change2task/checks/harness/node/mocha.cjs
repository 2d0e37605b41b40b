"use strict";
// mocha: how it is started. Selection is the reporter's, which has all tests before any runs.
const path = require("node:path");
const { without } = require("./words.cjs");

module.exports = {
  package: "mocha",
  least: "8.0.0",
  command({ words }) {
    const kept = without(words, ["--reporter", "-R", "--reporter-option", "--reporter-options", "-O", "--retries"],
      ["--bail", "-b", "--parallel", "-p", "--watch", "-w", "--dry-run"]);
    const ours = path.join(__dirname, "mocha_reporter.cjs");
    return [...kept, "--reporter", ours, "--no-bail", "--no-parallel", "--retries", "0"];
  },
};
