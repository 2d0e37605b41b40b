"use strict";
// node:test: how it is started, and which files it would run. Files are always named: so the ones that are done can be
// left out, and a planted file can be named beside them.
const fs = require("node:fs");
const path = require("node:path");

const VALUED = new Set(["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file",
  "--test-name-pattern", "--test-skip-pattern", "--test-concurrency", "--test-timeout", "--test-reporter",
  "--test-reporter-destination", "--test-isolation", "--tsconfig"]);
const OURS = ["--test-reporter", "--test-reporter-destination", "--test", "--watch", "--experimental-test-coverage",
  "--test-isolation", "--experimental-test-isolation", "--test-force-exit", "--test-only"];
const SCRIPT = /\.[cm]?js$/;
const DEFAULT = /^(?:.*\.test|.*-test|.*_test|test-.*|test)\.[cm]?js$/;

function walk(folder, found = []) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name === ".git") continue;
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) walk(full, found);
    else if (entry.isFile()) found.push(full);
  }
  return found;
}

function globbed(pattern) {
  const known = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
  let text = "";
  let depth = 0;
  for (const piece of pattern.replace(/^\.\//, "").split(/(\*\*\/|\*\*|\*|\?|\{|\}|,)/)) {
    if (piece in known) text += known[piece];
    else if (piece === "{") { text += "(?:"; depth += 1; }
    else if (piece === "}") { text += ")"; depth -= 1; }
    else if (piece === "," && depth > 0) text += "|";
    else text += piece.replace(/[.+^$()|\\[\]]/g, "\\$&");
  }
  return new RegExp(`^${text}$`);
}

// As the runner's documentation says: names of tests, all scripts below folders called test, or what is named.
function files(work, named) {
  const every = walk(work).map((file) => path.relative(work, file)).sort();
  if (named.length === 0) {
    return every.filter((file) => SCRIPT.test(file)
      && (DEFAULT.test(path.basename(file)) || path.dirname(file).split(path.sep).includes("test")));
  }
  const found = new Set();
  for (const name of named) {
    const plain = path.normalize(name).replace(/\/$/, "");
    if (every.includes(plain)) found.add(plain);
    else if (fs.existsSync(path.join(work, plain))) {
      every.filter((file) => (plain === "." || file.startsWith(plain + path.sep)) && SCRIPT.test(file)).forEach((file) => found.add(file));
    } else every.filter((file) => globbed(name).test(file)).forEach((file) => found.add(file));
  }
  return [...found];
}

module.exports = {
  package: null,
  least: "18.17.0",
  command({ words, wanted, work }) {
    const head = words.findIndex((word) => /^(node|nodejs|tsx)$/.test(path.basename(word)));
    const flags = [];
    const named = [];
    for (let place = head + 1; place < words.length; place += 1) {
      const word = words[place];
      const name = word.split("=")[0];
      const value = VALUED.has(name) && !word.includes("=") ? [words[(place += 1)]] : [];
      if (OURS.includes(name)) continue;
      if (word.startsWith("-")) flags.push(word, ...value);
      else named.push(word);
    }
    const chosen = files(work, named).filter(wanted);
    if (chosen.length === 0) return null;
    return [...words.slice(0, head + 1), ...flags, "--test", `--test-reporter=${path.join(__dirname, "node_reporter.cjs")}`,
      "--test-reporter-destination=stdout", ...chosen, path.join(__dirname, "canary.test.cjs")];
  },
};
