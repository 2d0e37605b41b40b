"use strict";
// Two tests of known outcome, run beside the project's own.
const test = require("node:test");
const { canaries, settings } = require("./events.cjs");

test(canaries[0], () => {});
test(canaries[1], () => {
  throw new Error(`canary ${settings.nonce}`);
});
