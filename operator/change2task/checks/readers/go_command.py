"""A manifest's `go test` command taken apart: what we keep of it, what we replace, and which packages it names.

Pure. The flags are those of the go command and of test binaries; one not known here is taken to carry its value
after `=` unless a value follows, as the go command's own parser does for flags of the test binary.
"""

from __future__ import annotations

from change2task.api.model import Model

_SWITCHES = frozenset(
    {
        *("a", "artifacts", "asan", "benchmem", "c", "cover", "failfast", "fullpath", "i", "json", "linkshared"),
        *("modcacherw", "msan", "n", "race", "short", "trimpath", "v", "work", "x"),
    }
)
_BUILD = frozenset(
    {
        *("a", "asan", "asmflags", "buildmode", "buildvcs", "compiler", "cover", "covermode", "coverpkg", "gccgoflags"),
        *("gcflags", "installsuffix", "ldflags", "linkshared", "mod", "modcacherw", "modfile", "msan", "overlay", "p"),
        *("pgo", "pkgdir", "race", "tags", "toolexec", "trimpath"),
    }
)
_OURS = frozenset({"bench", "count", "failfast", "fuzz", "fuzztime", "json", "list", "run", "shuffle", "timeout", "v"})


class GoCommand(Model):
    """`go` itself, `-C` folder, flags kept, build flags among them, `-run` of the project, packages, `-args`."""

    program: str
    folder: str
    flags: tuple[str, ...]
    build_flags: tuple[str, ...]
    run: str
    packages: tuple[str, ...]
    rest: tuple[str, ...]


def parse(command: tuple[str, ...]) -> GoCommand:
    """Take a command apart. ValueError, with the way out, when it is not `go test`."""
    if len(command) < 2 or command[0].rpartition("/")[2] != "go" or "test" not in command[1:4]:
        raise ValueError(
            f"checks.command {list(command)} does not start go's tests: write it as a list like [go, test, ./...]"
        )
    words = list(command[1:])
    words.remove("test")
    folder, run = ".", ""
    flags: list[str] = []
    build: list[str] = []
    packages: list[str] = []
    rest: tuple[str, ...] = ()
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            packages.append(word)
            continue
        name, has_value, value = word.lstrip("-").partition("=")
        if name == "args":
            rest = ("-args", *words)
            break
        kept = [word]
        if not has_value and name not in _SWITCHES and words:
            value = words.pop(0)
            kept.append(value)
        name = name.removeprefix("test.")
        if name == "C":
            folder = value
        elif name == "run":
            run = value
        elif name not in _OURS:
            flags += kept
            if name in _BUILD:
                build += kept
    return GoCommand(
        program=command[0],
        folder=folder,
        flags=tuple(flags),
        build_flags=tuple(build),
        run=run,
        packages=tuple(packages) or (".",),
        rest=rest,
    )
