"""What a file's path alone says of its part in a project, language by language.

These are the conventions of test runners, packagers and forges, collected as tables, so that a new ecosystem
is a line here. Weighing them against globs, attributes and contents is left to ``roles``.
"""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE_SUFFIXES: Final = _words("""
    py pyi pyx pxd go rs java kt kts scala groovy clj cljs js jsx mjs cjs ts tsx mts cts vue svelte rb php cs fs vb
    c h cc cpp cxx hh hpp hxx m mm swift dart lua pl pm ex exs erl hrl hs ml mli elm jl r sh bash zsh fish ps1 sql
    proto thrift asm s f f90 zig nim cr v sol
    """)
"""Extensions of files that are program text."""

DATA_SUFFIXES: Final = _words("""
    json yaml yml toml ini cfg xml html htm xhtml css scss sass less j2 jinja jinja2 jinja-html mako tmpl tpl template
    mustache hbs ejs po pot mo csv tsv txt md rst svg graphql xsd xslt properties conf
    """)
"""Extensions of files that are behaviour when they travel inside a package: templates, schemas, catalogues."""

_DOC_SUFFIXES = _words("md rst adoc asciidoc textile rdoc pod tex txt png jpg jpeg gif svg pdf ipynb")

PROSE_SUFFIXES: Final = _words("md markdown rst adoc asciidoc textile rdoc pod txt") | {""}
"""Extensions of documents that can lose a line and still be read; change logs often have none."""

_DOC_NAMES = re.compile(
    r"(?i)(readme|changes|changelog|change_?log|history|news|releases?|release[-_]notes|authors|contributors"
    r"|contributing|thanks|acknowledge?ments|licen[cs]e|copying|notice|code_of_conduct|security|upgrading"
    r"|maintainers|credits|citation|todo|roadmap|faq)([-_.].*)?"
)
_OWN_NAMES = re.compile(
    r"(?i)(readme|changes|change_?log|news|licen[cs]e|copying|authors|contributors|contributing|notice)([-_.].*)?"
)
_DOC_FOLDERS = _words("doc docs documentation man manual site website examples example demo demos tutorial")
_NEWS_FOLDERS = _words("newsfragments news changelog.d changelog changes news.d changelogs .changes .changeset")
_NEWS_FILE = re.compile(
    r"(?i)[^/]*\.(feature|bugfix|doc|removal|misc|deprecation|breaking|improvement|security|vendor|process|trivial"
    r"|added|changed|fixed|removed|deprecated|change)(\.\d+)?(\.\w+)?"
)

_METADATA_NAMES = re.compile(
    r"(pyproject\.toml|setup\.(py|cfg)|tox\.ini|noxfile\.py|pytest\.ini|mypy\.ini|manifest\.in|pipfile|tasks\.py"
    r"|[\w.-]*requirements[\w.-]*\.(txt|in)|constraints[\w.-]*\.txt|environment\.ya?ml|codecov\.ya?ml"
    r"|azure-pipelines[\w.-]*\.ya?ml|appveyor\.ya?ml|readthedocs\.ya?ml|mkdocs\.ya?ml|renovate\.json5?"
    r"|package\.json|tsconfig[\w.-]*\.json|jsconfig\.json|lerna\.json|nx\.json|[\w.-]+\.config\.[cm]?[jt]s"
    r"|gulpfile\.js|gruntfile\.js|go\.mod|go\.work|cargo\.toml|rust-toolchain(\.toml)?|pom\.xml"
    r"|build\.gradle(\.kts)?|settings\.gradle(\.kts)?|gradle\.properties|gradlew(\.bat)?|build\.sbt|mvnw(\.cmd)?"
    r"|gemfile|rakefile|[\w.-]+\.gemspec|composer\.json|mix\.exs|[\w.-]+\.csproj|[\w.-]+\.sln|meson\.build"
    r"|cmakelists\.txt|configure(\.ac)?|makefile(\.\w+)?|gnumakefile|justfile|dockerfile(\.\w+)?"
    r"|docker-compose[\w.-]*\.ya?ml|procfile|vagrantfile|jenkinsfile|version(\.txt)?|py\.typed"
    r"|_version\.py|__version__\.py|__about__\.py)"
)

_GENERATED_NAMES = re.compile(
    r"(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|poetry\.lock"
    r"|uv\.lock|pdm\.lock|pipfile\.lock|pylock[\w.-]*\.toml|cargo\.lock|go\.sum|go\.work\.sum|gemfile\.lock"
    r"|composer\.lock|mix\.lock|flake\.lock|gradle\.lockfile|packages\.lock\.json|podfile\.lock"
    r"|.+_pb2(_grpc)?\.pyi?|.+\.pb\.(go|cc|h)|.+\.pb\.gw\.go|.+_grpc\.pb\.go|.+_string\.go|zz_generated.*"
    r"|.+\.g\.dart|.+\.designer\.cs|.+\.generated\.\w+|.+_generated\.\w+|parsetab\.py|lextab\.py|.+\.min\.(js|css)"
    r"|.+\.(js|css)\.map)"
)
_VENDORED_FOLDERS = _words(
    "vendor _vendor vendored _vendored third_party thirdparty 3rdparty node_modules bower_components _bundled"
)

_TEST_NAMES: Final = (
    re.compile(r"test_.*\.pyi?|.*_test\.py|tests\.py|conftest\.py"),
    re.compile(r".*_test\.(go|rs|cc|cpp|cxx|c|rb|exs|dart|lua|php)|.*_(unittest|unittests)\.(cc|cpp)|tests\.rs"),
    re.compile(r".*[.-](test|spec|test-d|e2e|cy)\.[cm]?[jt]sx?|.*\.snap|.*_spec\.(rb|js|ts|lua)"),
    re.compile(r"(Test[A-Z].*|.*(Test|Tests|TestCase|IT|Spec|Specs))\.(java|kt|scala|groovy|cs|php|swift)"),
)
_TEST_FOLDERS = _words("""
    tests __tests__ __snapshots__ __mocks__ __fixtures__ testdata test_data test-data testfiles fixtures unittests
    unit_tests integration_tests functional_tests tests_integration e2e_tests
    """)
_MAYBE_TEST_FOLDERS = _words("test spec specs e2e unittest")


def suffix(name: str) -> str:
    """The extension in lower case without its dot, or an empty string."""
    stem, dot, end = name.rpartition(".")
    return end.lower() if dot and stem else ""


def is_test_file_name(name: str) -> bool:
    """Whether test runners of some language collect a file of this name, wherever it lies."""
    return any(pattern.fullmatch(name) for pattern in _TEST_NAMES)


def is_test_folder(name: str) -> bool:
    """Whether a folder of this name holds tests and nothing else."""
    return name.lower() in _TEST_FOLDERS


def may_be_test_folder(name: str) -> bool:
    """Whether a folder of this name holds tests, or (``django/test``) helpers that ship with the product."""
    return name.lower() in _MAYBE_TEST_FOLDERS


def is_generated_name(folders: tuple[str, ...], name: str) -> bool:
    """Whether tools, not people, write this file: locks, generated code, vendored folders."""
    return _GENERATED_NAMES.fullmatch(name.lower()) is not None or any(f in _VENDORED_FOLDERS for f in folders)


def is_metadata_name(folders: tuple[str, ...], name: str) -> bool:
    """Whether the file configures packaging, builds, tools or a forge."""
    if (folders and folders[0].startswith(".")) or name.startswith(".git"):
        return True
    if not folders and name.startswith("."):
        return True
    lowered = name.lower()
    match = _METADATA_NAMES.fullmatch(lowered)
    # A module called configure or version deep in a package is code; only the bare names are tools' files.
    return match is not None and not (len(folders) > 1 and lowered in {"tasks.py", "configure"})


def is_doc_folder(name: str) -> bool:
    """Whether a folder of this name holds documents and examples."""
    return name.lower().lstrip("_") in _DOC_FOLDERS


def is_news_file(folders: tuple[str, ...], name: str) -> bool:
    """Whether the file is a news fragment or a change log."""
    in_news = any(f.lower() in _NEWS_FOLDERS for f in folders)
    if in_news and (suffix(name) not in CODE_SUFFIXES):
        return True
    return is_change_log_name(name)


def is_change_log_name(name: str) -> bool:
    """Whether the file is called like a change log, wherever it lies."""
    if suffix(name) in CODE_SUFFIXES:
        return False
    return _DOC_NAMES.fullmatch(name) is not None and re.match(r"(?i)(change|news|history|release)", name) is not None


def is_news_fragment(name: str) -> bool:
    """Whether the name is shaped like a towncrier or scriv fragment: ``603.feature.rst``."""
    return _NEWS_FILE.fullmatch(name) is not None and name[:1] in "0123456789+"


def is_document_by_itself(name: str) -> bool:
    """Whether the file is a document even in the middle of a product, where prose may be data that it reads."""
    return suffix(name) in PROSE_SUFFIXES and _OWN_NAMES.fullmatch(name) is not None


def is_doc_name(name: str) -> bool:
    """Whether the file is read by people, by its name or extension."""
    if suffix(name) in CODE_SUFFIXES:
        return False
    return suffix(name) in _DOC_SUFFIXES or _DOC_NAMES.fullmatch(name) is not None
