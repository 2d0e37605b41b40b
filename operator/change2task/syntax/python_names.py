"""Which names a Python module binds, and which it uses without anybody binding them: the compiler's own scopes.

A word in a source may be a parameter, a local, an import or a builtin; only scopes tell. Sources that this interpreter
cannot compile say nothing here, and neither do modules that import everything of another.
"""

from __future__ import annotations

import builtins
import symtable
import warnings
from collections.abc import Iterator

_GIVEN = frozenset(dir(builtins)) | {"__file__", "__path__", "__builtins__", "WindowsError"}


def module_names(source: bytes) -> frozenset[str] | None:
    """The names that the module binds at its own level; None where that cannot be told."""
    top = _table(source)
    return None if top is None else _bound(top)


def unbound_names(source: bytes) -> frozenset[str]:
    """The names that code of the module looks up in it and that nothing in it binds, builtins not counted."""
    top = _table(source)
    if top is None:
        return frozenset()
    used = {
        symbol.get_name()
        for table in _all(top)
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (symbol.is_global() or table is top)
    }
    return frozenset(used - _bound(top) - _GIVEN)


def _table(source: bytes) -> symtable.SymbolTable | None:
    if b"import *" in source:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return symtable.symtable(source.decode("utf-8"), "module", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bound(top: symtable.SymbolTable) -> frozenset[str]:
    """Bound at the module's level, or declared global and assigned in a function."""
    own = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    declared = {
        s.get_name()
        for table in _all(top)
        for s in table.get_symbols()
        if s.is_declared_global() and (s.is_assigned() or s.is_imported())
    }
    return frozenset(own | declared)


def _all(top: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    stack = [top]
    while stack:
        table = stack.pop()
        yield table
        stack += table.get_children()
