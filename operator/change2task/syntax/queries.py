"""Where a source uses an API, by the API's full name and whatever names it was imported under.

It exists for the static oracle of an API migration: the old API is gone, the new one is used. Strings and
comments never count. It follows imports, not values: a function stored in a variable counts where it is stored.
"""

from __future__ import annotations

from change2task.syntax.attached import Attachments
from change2task.syntax.imports import Binding, imports
from change2task.syntax.languages import Language
from change2task.syntax.references import Chain, chains, import_names, member_accesses
from change2task.syntax.symbols import names_defined
from change2task.syntax.tokens import tokens
from change2task.syntax.trees import Span

_SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})


def uses_api(language: Language, source: bytes, dotted: str, *, include_imports: bool = False) -> tuple[Span, ...]:
    """The places that use a dotted API or anything below it, in file order.

    `dotted` is the full name: `pkg_resources.get_distribution`, `importlib.metadata`, Go `io/ioutil.ReadFile`
    or `ioutil.ReadFile`, JavaScript `fs.readFile`, Rust `std::mem::uninitialized`, Java `java.util.Date`; or
    `.name` for any member of that name. A name nobody imported is a global (`unicode`, `Buffer.from`) if the
    file does not define it. With `include_imports`, an import of the API counts as a use.
    """
    attachments = Attachments(language, source)
    if dotted.startswith("."):
        return tuple(
            attachments.span(token.start, token.end) for token in member_accesses(language, source, dotted[1:])
        )
    target = dotted.replace("::", ".")
    resolver = _Resolver(language, source, target)
    found = [(chain.start, end) for chain in chains(language, source) if (end := resolver.end(chain)) is not None]
    if language in _SCRIPTS:
        found += _required_in_place(language, source, target)
    if include_imports:
        found += [
            (binding.start, binding.end)
            for statement in imports(language, source)
            for binding in statement.bindings
            if _imports(binding, target)
        ]
    return tuple(attachments.span(start, end) for start, end in sorted(set(found)))


def _imports(binding: Binding, target: str) -> bool:
    return any(_below(meaning, target) for meaning in (binding.target, *binding.meanings))


def _below(name: str, target: str) -> bool:
    """Whether `name` is the target or below it. A relative Python name is compared with the target's end."""
    if name.startswith("."):
        tail = name.lstrip(".")
        return bool(tail) and (target == tail or target.endswith("." + tail))
    return name == target or name.startswith(target + ".")


class _Resolver:
    """Follows the first name of a chain to what it was imported as."""

    def __init__(self, language: Language, source: bytes, target: str) -> None:
        self._target = target
        self._meanings = import_names(language, source)
        self._stars = self._meanings.get("*", ())
        self._defined = names_defined(language, source)
        self._globals = language is not Language.PYTHON or "." not in target

    def end(self, chain: Chain) -> int | None:
        """Where the part of the chain that names the target ends; None when it names something else."""
        first = chain.parts[0]
        if first in self._meanings:
            roots = self._meanings[first]
        elif first in self._defined:
            return None
        else:
            roots = tuple(f"{module}.{first}" for module in self._stars)
            roots += (first,) if self._globals else ()
        for name in roots:
            for count, end in enumerate(chain.ends):
                if _below(".".join([name, *chain.parts[1 : count + 1]]), self._target):
                    return end
        return None


def _required_in_place(language: Language, source: bytes, target: str) -> list[tuple[int, int]]:
    """`require("fs").readFile` without a name for the module."""
    leaves = tokens(language, source)
    found = []
    for index in range(len(leaves) - 6):
        words = leaves[index : index + 7]
        if words[0].text != b"require" or words[1].text != b"(" or words[3].kind != "string_fragment":
            continue
        if words[5].text == b")" and words[6].text == b"." and index + 7 < len(leaves):
            name = f"{words[3].text.decode(errors='replace')}.{leaves[index + 7].text.decode(errors='replace')}"
            if _below(name, target):
                found.append((words[0].start, leaves[index + 7].end))
    return found
