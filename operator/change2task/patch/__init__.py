"""Unified diffs as bytes: read, counted, printed again. Pure: applying them is left to the room that runs git."""
