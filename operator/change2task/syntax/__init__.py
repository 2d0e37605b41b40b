"""What a source file says: its language, units, tests, imports, tokens. Pure, on bytes, on tree-sitter."""
