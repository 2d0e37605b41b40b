"""Level 2, Code Mapping: each edit group's after-block found once on the healthy base and put back.

The paper's conservative configuration (section "Constructing the Task State", appendix A.2): consecutive
edit groups of the source hunks; removed lines are the pre-change block, added lines the post-change block;
the post-change block must occur exactly once in the modern file, indentation aside, and is replaced by the
pre-change block with the modern indentation. *Every* group must map. Pure additions, pure deletions,
import-only edits and files that are gone are outside this route, as is anything renamed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from change2task.construct.models import Assignment, NotApplicable, Proposal, Region, SourceFile
from change2task.construct.strategies.exact_reversal import source_patch
from change2task.patch.paths import quote
from change2task.patch.unified import EditGroup, FilePatch, edit_groups, parse_patch
from change2task.syntax.imports import import_only
from change2task.syntax.languages import language_of
from change2task.vcs.repository import Repository
from change2task.vcs.trees import SUBMODULE, SYMLINK, Entry, Tree


class _Outside(Exception):
    """This change lies outside the route."""


class UniqueBlock:
    """The paper's code mapping, conservative."""

    name = "unique-block"
    level = 2

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when every edit group of every source file maps to one block."""
        entries: dict[bytes, Entry] = dict(repository.tree(assignment.healthy_tree))
        regions: list[Region] = []
        try:
            _refuse_moved(assignment.files)
            for file in parse_patch(source_patch(repository, assignment)).files:
                path = _same_path(file)
                if path not in entries:
                    raise _Outside(f"{quote(path)} is not on the base")
                if entries[path].mode in {SUBMODULE, SYMLINK}:
                    raise _Outside(f"{quote(path)} is a {'submodule' if entries[path].mode == SUBMODULE else 'link'}")
                modern = repository.blob(entries[path].oid)
                mapped, places = _map_file(path, file, modern)
                entries[path] = Entry(entries[path].mode, repository.write_blob(mapped))
                regions.extend(Region(path=quote(path), how=place) for place in places)
        except _Outside as outside:
            yield NotApplicable(strategy=self.name, level=self.level, why=str(outside))
            return
        tree = repository.write_tree(Tree(entries))
        yield Proposal(strategy=self.name, level=self.level, tree=tree, regions=tuple(regions))


def _refuse_moved(files: Sequence[SourceFile]) -> None:
    for file in files:
        if file.binary:
            raise _Outside(f"{file.after or file.before} is binary")
        if file.before is None:
            raise _Outside(f"{file.after} was added by the change")
        if file.after is None:
            raise _Outside(f"{file.before} was deleted by the change")


def _same_path(file: FilePatch) -> bytes:
    if file.old_path is None or file.new_path is None or file.old_path != file.new_path:
        raise _Outside("the change adds, deletes or renames a file")
    if file.old_mode != file.new_mode:
        raise _Outside(f"{quote(file.new_path)} changes its mode")
    return file.new_path


def _map_file(path: bytes, file: FilePatch, modern: bytes) -> tuple[bytes, list[str]]:
    lines = _split_lines(modern)
    language = language_of(path, modern[:256])
    spans: list[tuple[int, int, list[bytes]]] = []
    places: list[str] = []
    for hunk in file.hunks:
        for group in edit_groups(hunk):
            where = f"{quote(path)}, line {group.new_start} after the change"
            if not group.removed or not group.added:
                raise _Outside(f"{where}: a pure {'addition' if group.added else 'deletion'}")
            if language is not None and import_only(language, b"".join(group.removed), b"".join(group.added)):
                raise _Outside(f"{where}: an import-only edit")
            start = _find_once(lines, group, where)
            spans.append((start, start + len(group.added), _reindented(lines, start, group, where)))
            places.append(f"block of {len(group.added)} lines found once at line {start + 1}")
    if not spans:
        raise _Outside(f"{quote(path)} has no edit group")
    return _replaced(lines, spans, path), places


def _split_lines(content: bytes) -> list[bytes]:
    """Lines as git counts them: ended by a line feed only."""
    parts = content.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _find_once(lines: Sequence[bytes], group: EditGroup, where: str) -> int:
    wanted = _dedented(group.added)
    size = len(group.added)
    probe = wanted[0].lstrip(b" \t")
    hits = [
        start
        for start in range(len(lines) - size + 1)
        if lines[start].lstrip(b" \t") == probe and _dedented(lines[start : start + size]) == wanted
    ]
    if len(hits) != 1:
        found = "not found" if not hits else f"found {len(hits)} times"
        raise _Outside(f"{where}: the block of {size} lines is {found} on the base")
    return hits[0]


def _common_indent(block: Sequence[bytes]) -> bytes:
    indents = [line[: len(line) - len(line.lstrip(b" \t"))] for line in block if line.strip()]
    if not indents:
        return b""
    shortest, last = min(indents), max(indents)
    same = next((n for n, pair in enumerate(zip(shortest, last, strict=False)) if pair[0] != pair[1]), None)
    return shortest[: min(len(shortest), len(last)) if same is None else same]


def _dedented(block: Sequence[bytes]) -> list[bytes]:
    indent = _common_indent(block)
    return [line[len(indent) :] if line.strip() else line.lstrip(b" \t") for line in block]


def _reindented(lines: Sequence[bytes], start: int, group: EditGroup, where: str) -> list[bytes]:
    """The pre-change block, moved from the post-change block's indentation to the modern one's."""
    historical = _common_indent(group.added)
    modern = _common_indent(lines[start : start + len(group.added)])
    if historical == modern:
        return list(group.removed)
    result = []
    for line in group.removed:
        if not line.strip():
            result.append(line)
        elif line.startswith(historical):
            result.append(modern + line[len(historical) :])
        else:
            indent = _common_indent([line])
            shallower = len(historical) - len(indent)
            if not historical.startswith(indent) or shallower > len(modern):
                raise _Outside(f"{where}: the block's indentation cannot be carried over")
            result.append(modern[: len(modern) - shallower] + line[len(indent) :])
    return result


def _replaced(lines: Sequence[bytes], spans: list[tuple[int, int, list[bytes]]], path: bytes) -> bytes:
    ordered = sorted(spans, key=lambda span: span[0])
    for (_, end, _), (start, _, _) in pairwise(ordered):
        if start < end:
            raise _Outside(f"{quote(path)}: two edit groups map to overlapping blocks")
    result = list(lines)
    for start, end, block in reversed(ordered):
        result[start:end] = block
    return b"".join(result)
