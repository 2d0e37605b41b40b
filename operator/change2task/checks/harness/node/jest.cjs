"use strict";
// jest: how it is started, and which files it would run.
const path = require("node:path");
const { without } = require("./words.cjs");

module.exports = {
  package: "jest",
  least: "27.0.0",
  command({ words, version, chosen, wanted, ask, relative, work }) {
    const kept = without(words, ["--reporters", "--bail", "--outputFile"],
      ["-b", "--watch", "--watchAll", "--json", "--listTests", "--coverage", "--collectCoverage", "-o",
        "--onlyChanged", "-i", "--runInBand"]);
    const ours = [`--reporters=${path.join(__dirname, "jest_reporter.cjs")}`, "--ci", "--watchAll=false",
      "--coverage=false", "--passWithNoTests", "--bail=0"];
    // A worker's death costs its file; without workers it costs the whole run.
    if (parseInt(version, 10) >= 29) ours.push("--workerIdleMemoryLimit=2GB", "--maxWorkers=2");
    if (!chosen) return [...kept, ...ours];
    const told = ask([...kept, "--listTests", "--json", "--passWithNoTests"]);
    const lines = (told || "").split("\n").reverse();
    const list = lines.find((line) => line.startsWith("["));
    if (list === undefined) return [...kept, ...ours];
    const files = JSON.parse(list).map((file) => relative(file)).filter(wanted);
    if (files.length === 0) return null;
    return [...kept, ...ours, "--runTestsByPath", ...files.map((file) => path.join(work, file))];
  },
};
