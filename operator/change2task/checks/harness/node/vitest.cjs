"use strict";
// vitest: how it is started.
const path = require("node:path");
const { settings } = require("./events.cjs");
const { without } = require("./words.cjs");

module.exports = {
  package: "vitest",
  least: "3.0.0",
  command({ words, chosen, wanted, ask, relative }) {
    const kept = without(words, ["--reporter", "--bail", "--retry", "--outputFile"],
      ["--watch", "-w", "--coverage", "--ui", "--run"]);
    const ours = [`--reporter=${path.join(__dirname, "vitest_reporter.mjs")}`, "--watch=false", "--coverage.enabled=false",
      "--passWithNoTests", "--bail=0", "--retry=0"];
    if (!chosen) return [...kept, ...ours];
    const named = kept.map((word) => (word === "run" ? "list" : word));
    if (!named.includes("list")) named.splice(named.findIndex((word) => /(^|\/)vitest(\.mjs)?$/.test(word)) + 1, 0, "list");
    const told = ask([...named, "--filesOnly", "--json"]);
    const from = told === null ? -1 : told.indexOf("[");
    if (from < 0) return [...kept, ...ours];
    const files = [...new Set(JSON.parse(told.slice(from)).map((one) => relative(one.file)))].filter(wanted);
    return files.length === 0 ? null : [...kept, ...ours, ...files];
  },
};
