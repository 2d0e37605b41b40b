"use strict";
// Starts a project's own test command with our reporter, and again for the files that a dying runner left undone.
// What is told of tests comes from the reporter; this says only what became of the runner.
const fs = require("node:fs");
const path = require("node:path");
const { spawnSync } = require("node:child_process");
const { channel, read, relative, settings } = require("./events.cjs");
const runner = require(`./${settings.format}.cjs`);

const work = process.cwd();
const round = Number(process.env.C2T_ROUND || "0");
const results = process.env.C2T_RESULTS;
const events = path.join(results, `events.${round}`);
for (const name of Object.keys(process.env)) if (name.startsWith("C2T_")) delete process.env[name];
const emit = channel(events, "l");

// Files of which an earlier round told, and tests that began in one.
function earlier() {
  const files = new Set();
  const begun = new Set();
  let stuck = false;
  for (let number = 0; number < round; number += 1) {
    const before = files.size + begun.size;
    for (const event of read(path.join(results, `events.${number}`))) {
      if (event.e === "file") files.add(event.file);
      if (event.e === "begin") {
        begun.add(event.id);
        files.add(event.id.split("::")[0]);
      }
    }
    stuck = files.size + begun.size === before;
  }
  return { files, begun, stuck };
}

function version() {
  if (!runner.package) return process.versions.node;
  const found = require.resolve(`${runner.package}/package.json`, { paths: [work] });
  return JSON.parse(fs.readFileSync(found, "utf8")).version;
}

function older(one, least) {
  const parts = one.split(".").map((part) => parseInt(part, 10) || 0);
  const wanted = least.split(".").map(Number);
  for (let place = 0; place < wanted.length; place += 1) {
    if ((parts[place] || 0) !== wanted[place]) return (parts[place] || 0) < wanted[place];
  }
  return false;
}

function start(words, options = {}) {
  const env = { ...process.env, C2T_EVENTS: events, C2T_ROOT: work };
  return spawnSync(words[0], words.slice(1), { cwd: work, env, stdio: ["ignore", "inherit", "inherit"], ...options });
}

// What a command prints, without our variables; null where it fails.
function ask(words) {
  const said = spawnSync(words[0], words.slice(1), {
    cwd: work, stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28, encoding: "utf8",
  });
  return said.status === 0 ? said.stdout : null;
}

function main() {
  let known;
  try {
    known = version();
  } catch {
    emit("aborted", { sig: `the package ${runner.package} is not installed in the tree` });
    return;
  }
  emit("started", { runner: settings.format, version: known });
  if (older(known, runner.least)) {
    const called = runner.package || "Node";
    emit("aborted", { sig: `${called} ${known} is too old: its reporters tell enough from ${runner.least} on` });
    return;
  }
  const past = earlier();
  if (past.stuck) {
    emit("stuck");
    return;
  }
  const asked = settings.ids ? new Set(settings.ids.map((one) => one.split("::")[0])) : null;
  const bounds = settings.scopes ? new Set(settings.scopes) : null;
  const wanted = (file) => (!asked || asked.has(file)) && (!bounds || bounds.has(file)) && !past.files.has(file);
  const chosen = asked || bounds || past.files.size > 0;
  const command = runner.command({ words: settings.command, version: known, chosen, wanted, ask, relative, work });
  if (command === null) {
    emit("running");
    emit("finished");
    return;
  }
  emit("running");
  const ended = start(command);
  if (ended.error) {
    emit("aborted", { sig: `${command[0]} cannot be started: ${ended.error.code}` });
    return;
  }
  const over = read(events).some((event) => event.e === "over");
  emit(over ? "finished" : "ended", over ? {} : { code: ended.status });
  process.exitCode = ended.status === null ? 1 : ended.status;
}

main();
