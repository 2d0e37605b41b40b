"""What a source file says: its language, units, tests, imports, tokens. Pure, on bytes, on tree-sitter.

It exists so that changes can be judged, mapped and hidden by definitions instead of lines. Every function
takes the language and the bytes of one file, never raises on broken sources (but for `cut`, see there), and
never decodes to edit. It knows no scopes and no other files: what spans several files (who else uses a helper,
what a module holds) is the caller's to tell.

languages  `language_of(path, head) -> Language | None`
faults     `parses`, `syntax_errors`, `new_syntax_errors(before, after)`: well formed or not, where not
units      `units -> (Unit, …)`: functions, methods, classes, types, module-level names with all that is
attached; `unit_named` tokens     `tokens`, `code_words` (comparable form of a stretch), `same_code(a, b)`:
code without layout and comments symbols    `symbols_touched(lines)`, `units_at(lines)`, `names_defined`,
`names_used` tests      `test_units(path)`, `changed_tests(path, before, after)`: tests by the language's
conventions imports    `imports`, `import_lines` (exact), `import_only(before_lines, after_lines)` (without
context) queries    `uses_api(dotted)`: where an API is used, through import aliases
cut        `cut_tests(path, names, helpers=, keep=)`: a file without some of its tests

The other modules serve these: grammars, trees, definitions, attached, script_blocks, references, edits,
emptied, helpers, pruned.
"""
