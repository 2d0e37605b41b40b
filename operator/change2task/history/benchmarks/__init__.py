"""Rows of benchmarks as references to merged changes: read, checked row by row, and found in a history."""
