"use strict";
// A command's words without options that are ours to say: those that carry a value, and switches.
function without(words, valued, switches) {
  const kept = [];
  for (let place = 0; place < words.length; place += 1) {
    const name = words[place].split("=")[0];
    if (valued.includes(name)) {
      if (!words[place].includes("=")) place += 1;
    } else if (!switches.includes(name)) {
      kept.push(words[place]);
    }
  }
  return kept;
}

module.exports = { without };
