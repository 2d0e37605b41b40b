"""A manifest's `cargo test` command taken apart: what we keep of it, and what we say ourselves. Pure."""

from __future__ import annotations

import posixpath

from change2task.api.model import Model

_TARGETS = frozenset(
    {
        *("--lib", "--bins", "--bin", "--examples", "--example", "--tests", "--test", "--benches", "--bench"),
        *("--all-targets", "--doc"),
    }
)
_OURS = frozenset({"--no-run", "--no-fail-fast", "-q", "--quiet", "-v", "--verbose", "-vv"})
_OURS_VALUED = frozenset({"--message-format", "--color"})
_HARNESS = frozenset({"--nocapture", "--no-capture", "--show-output", "-q", "--quiet", "--report-time", "--list"})
_HARNESS_VALUED = frozenset({"--test-threads", "--format", "--color", "-Z", "--logfile", "--shuffle-seed"})


class CargoCommand(Model):
    """The words before ``test`` (cargo, its toolchain), flags kept, those that choose targets, and the harness'
    own.
    """

    program: tuple[str, ...]
    flags: tuple[str, ...]
    targets: tuple[str, ...]
    rest: tuple[str, ...]

    @property
    def documents(self) -> bool:
        """Whether cargo would run doc tests."""
        return not self.targets or "--doc" in self.targets

    @property
    def binaries(self) -> tuple[str, ...]:
        """The flags that choose test binaries; those of lib, bins and tests where nothing is chosen."""
        return tuple(flag for flag in self.targets if flag != "--doc") or ("--tests",)


def parse(command: tuple[str, ...]) -> CargoCommand:
    """Take a command apart. ValueError, with the way out, when it is not `cargo test`."""
    if not command or posixpath.basename(command[0]) != "cargo" or "test" not in command[1:3]:
        raise ValueError(
            f"checks.command {list(command)} does not start cargo's tests: write it as a list like [cargo, test]"
        )
    if any(word.startswith("+") for word in command):
        raise ValueError(
            f"checks.command {list(command)} names a toolchain of rustup; leave it out, the installed one is used"
        )
    place = command.index("test")
    words, rest = list(command[place + 1 :]), []
    if "--" in words:
        end = words.index("--")
        words, rest = words[:end], words[end + 1 :]
    targets: list[str] = []
    flags: list[str] = []
    for word in _without(words, _OURS, _OURS_VALUED):
        valued = bool(targets) and targets[-1] in ("--bin", "--example", "--test", "--bench")
        (targets if word.partition("=")[0] in _TARGETS or valued else flags).append(word)
    return CargoCommand(
        program=command[:place],
        flags=tuple(flags),
        targets=tuple(targets),
        rest=tuple(_without(rest, _HARNESS, _HARNESS_VALUED)),
    )


def _without(words: list[str], switches: frozenset[str], valued: frozenset[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        name, mark, _ = word.partition("=")
        if skip:
            skip = False
        elif name in valued:
            skip = not mark
        elif name not in switches:
            kept.append(word)
    return kept
