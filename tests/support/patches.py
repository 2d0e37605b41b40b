"""What a patch says it touches, told from its parsed headers."""

from __future__ import annotations

from change2task.patch.unified import UnifiedPatch


def touched(patch: UnifiedPatch) -> frozenset[bytes]:
    """Every path that the patch reads, writes, makes or removes."""
    return frozenset(name for file in patch.files for name in (file.old_path, file.new_path) if name is not None)
