"""Node, Rust, Maven and CMake projects: what setup, rebuild and command are read off their files."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from change2task.api.modernbase import ModernBaseSpec
from change2task.base import compilers
from change2task.base.faults import ToolchainMissing
from change2task.base.project import ProjectFiles
from change2task.base.recipe import Recipe, RecipeUnknown, recipe_for

DAY = datetime(2024, 5, 6, tzinfo=UTC)


def recipe(files: dict[str, str], **checks: object) -> Recipe:
    spec = ModernBaseSpec.model_validate({"repository": {"url": "https://example.org/a/b"}, "checks": checks})
    return recipe_for(spec, ProjectFiles.of(files), DAY, None)


LOCK = '{"packages": {"": {}, "node_modules/fast": {"hasInstallScript": true}, "node_modules/slow": {}}}'


def test_a_lock_file_says_what_npm_installs_and_scripts_left_out_are_named():
    made = recipe({"package.json": "{}", "package-lock.json": LOCK}, format="jest")
    assert (made.toolchain, made.command, made.setup) == ("node", ("npx", "jest"), ("npm ci --ignore-scripts",))
    assert made.held == "packages are those of the project's lock file"
    assert any("install scripts are not run (fast)" in one for one in made.evidence)


def test_packages_that_no_lock_holds_are_of_the_revisions_date():
    made = recipe({"package.json": "{}"}, format="node")
    assert made.setup == ("npm install --ignore-scripts --no-package-lock --before=2024-05-06",)
    assert made.command == ("node", "--test")


@pytest.mark.parametrize(
    ("tracked", "rebuild"), [({}, ("npm run build",)), ({"dist/index.js": ""}, ())], ids=["made", "tracked"]
)
def test_an_entry_file_that_is_made_is_made_in_every_state(tracked: dict[str, str], rebuild: tuple[str, ...]):
    package = '{"main": "dist/index.js", "scripts": {"build": "tsc"}}'
    assert recipe({"package.json": package, **tracked}, format="vitest").rebuild == rebuild


def test_a_package_file_that_is_no_json_is_named():
    with pytest.raises(RecipeUnknown, match=r"package\.json cannot be parsed"):
        recipe({"package.json": "{"}, format="mocha")


def test_crates_are_those_of_the_lock_and_without_one_nobody_says_they_are_dated():
    locked = recipe({"Cargo.toml": '[package]\nname = "a"\nrust-version = "1.70"\n', "Cargo.lock": ""}, format="cargo")
    assert locked.setup[0] == "cargo fetch --locked"
    assert (locked.least, locked.loose) == ("1.70", None)
    assert locked.fallbacks[0].setup == ("cargo fetch --locked",)
    assert "there is no Cargo.lock" in (recipe({"Cargo.toml": ""}, format="cargo").loose or "")


def test_junit_without_a_command_is_maven_or_ctest_by_the_files_at_the_root():
    maven = recipe({"pom.xml": "<project/>"}, format="junit")
    assert (maven.toolchain, maven.command) == ("java", ("mvn", "-B", "-o", "-fae", "test"))
    cmake = recipe({"CMakeLists.txt": "FetchContent_MakeAvailable(x)"}, format="junit", testTimeoutSeconds=7)
    assert cmake.toolchain == "cmake"
    assert cmake.command[-3:] == ("7", "--output-junit", "{reports}/ctest.xml")
    assert any("states have no network" in one for one in cmake.evidence)


def test_a_command_of_the_manifest_stands_and_its_program_says_the_toolchain():
    made = recipe({"package.json": "{}"}, format="ctrf", command=["npx", "jest"], reports=["ctrf/*.json"])
    assert (made.toolchain, made.command) == ("node", ("npx", "jest"))


def test_a_toolchain_that_is_missing_or_too_old_is_named_with_its_place():
    with pytest.raises(ToolchainMissing, match="need cargo and rustc; image x lacks at least one"):
        compilers.found("rust", lambda _: "", "image x")
    with pytest.raises(ToolchainMissing, match=r"asks for Rust 1\.90; this machine has 1\.70\.0"):
        compilers.found("rust", lambda _: "/opt/rust/bin\n1.70.0\n", least="1.90")
    assert compilers.found("node", lambda _: "/usr/bin\n20.1.0\n").described() == "Node 20.1.0"
