"""What each grammar calls the things we ask for: comments, attributes, definitions, identifiers.

It exists to keep node names of six grammars in one page, so that an upgrade of a grammar is one page's work.
How a definition's name and body are read is left to `definitions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import tree_sitter
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_typescript

from change2task.syntax.languages import Language


@dataclass(frozen=True, slots=True)
class Grammar:
    """The node names of one language.

    `pieces` are nodes that may stand before a definition and belong to it; `definitions` captures `unit` (may
    be a unit) and `fn` (an unnamed function, in whose body nothing is at module level); `identifiers` are leaf
    kinds that name things.
    """

    comments: frozenset[str]
    pieces: str
    definitions: str
    identifiers: frozenset[str]
    separators: frozenset[str]


_PYTHON = Grammar(
    comments=frozenset({"comment", "line_continuation"}),
    pieces="(comment) @comment",
    definitions="""
      (function_definition) @unit (class_definition) @unit (type_alias_statement) @unit
      (expression_statement (assignment) @unit) (expression_statement (augmented_assignment) @unit)
      (lambda) @fn
    """,
    identifiers=frozenset({"identifier"}),
    separators=frozenset({"."}),
)

_GO = Grammar(
    comments=frozenset({"comment"}),
    pieces="(comment) @comment",
    definitions="""
      (function_declaration) @unit (method_declaration) @unit (type_spec) @unit (type_alias) @unit
      (const_spec) @unit (var_spec) @unit
      (func_literal) @fn
    """,
    identifiers=frozenset({"identifier", "type_identifier", "field_identifier", "package_identifier", "label_name"}),
    separators=frozenset({"."}),
)

_SCRIPT = """
  (function_declaration) @unit (generator_function_declaration) @unit (class_declaration) @unit
  (method_definition) @unit (variable_declarator) @unit
  (expression_statement (assignment_expression) @unit)
  (pair value: [(function_expression) (arrow_function) (generator_function)]) @unit
  (export_statement value: (_)) @unit
  (arrow_function) @fn (function_expression) @fn (generator_function) @fn
"""

_SCRIPT_NAMES = frozenset(
    {
        "identifier",
        "property_identifier",
        "private_property_identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "type_identifier",
        "statement_identifier",
    }
)

_JAVASCRIPT = Grammar(
    comments=frozenset({"comment", "html_comment", "hash_bang_line"}),
    pieces="(comment) @comment (decorator) @attribute",
    definitions=_SCRIPT + "(field_definition) @unit",
    identifiers=_SCRIPT_NAMES,
    separators=frozenset({".", "?."}),
)

_TYPESCRIPT = Grammar(
    comments=frozenset({"comment", "html_comment", "hash_bang_line"}),
    pieces="(comment) @comment (decorator) @attribute",
    definitions=_SCRIPT
    + """
      (public_field_definition) @unit (function_signature) @unit (abstract_class_declaration) @unit
      (abstract_method_signature) @unit (class_body (method_signature) @unit)
      (interface_declaration) @unit (type_alias_declaration) @unit (enum_declaration) @unit
      (internal_module) @unit (module) @unit
    """,
    identifiers=_SCRIPT_NAMES,
    separators=frozenset({".", "?."}),
)

_RUST = Grammar(
    comments=frozenset({"line_comment", "block_comment"}),
    pieces="(line_comment) @comment (block_comment) @comment (attribute_item) @attribute",
    definitions="""
      (function_item) @unit (function_signature_item) @unit (struct_item) @unit (enum_item) @unit
      (union_item) @unit (trait_item) @unit (impl_item) @unit (mod_item) @unit (const_item) @unit
      (static_item) @unit (type_item) @unit (macro_definition) @unit
      (closure_expression) @fn
    """,
    identifiers=frozenset(
        {"identifier", "type_identifier", "field_identifier", "shorthand_field_identifier", "self", "crate", "super"}
    ),
    separators=frozenset({".", "::"}),
)

_JAVA = Grammar(
    comments=frozenset({"line_comment", "block_comment"}),
    pieces="(line_comment) @comment (block_comment) @comment",
    definitions="""
      (class_declaration) @unit (interface_declaration) @unit (enum_declaration) @unit
      (record_declaration) @unit (annotation_type_declaration) @unit (method_declaration) @unit
      (constructor_declaration) @unit (compact_constructor_declaration) @unit
      (lambda_expression) @fn
    """,
    identifiers=frozenset({"identifier", "type_identifier"}),
    separators=frozenset({".", "::"}),
)

_GRAMMARS: dict[Language, Grammar] = {
    Language.PYTHON: _PYTHON,
    Language.GO: _GO,
    Language.JAVASCRIPT: _JAVASCRIPT,
    Language.TYPESCRIPT: _TYPESCRIPT,
    Language.TSX: _TYPESCRIPT,
    Language.RUST: _RUST,
    Language.JAVA: _JAVA,
}


def grammar(language: Language) -> Grammar:
    """The node names of a language."""
    return _GRAMMARS[language]


@cache
def compiled(language: Language) -> tree_sitter.Language:
    """The compiled grammar, loaded once."""
    match language:
        case Language.PYTHON:
            return tree_sitter.Language(tree_sitter_python.language())
        case Language.GO:
            return tree_sitter.Language(tree_sitter_go.language())
        case Language.JAVASCRIPT:
            return tree_sitter.Language(tree_sitter_javascript.language())
        case Language.TYPESCRIPT:
            return tree_sitter.Language(tree_sitter_typescript.language_typescript())
        case Language.TSX:
            return tree_sitter.Language(tree_sitter_typescript.language_tsx())
        case Language.RUST:
            return tree_sitter.Language(tree_sitter_rust.language())
        case Language.JAVA:
            return tree_sitter.Language(tree_sitter_java.language())
