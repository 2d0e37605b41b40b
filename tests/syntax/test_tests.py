"""Tests are found by the conventions of their language, and compared by their code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from change2task.syntax.languages import Language
from change2task.syntax.tests import changed_tests
from change2task.syntax.tests import test_units as units_of

PYTHON = b"""
def helper(): pass
def test_function(): pass
async def test_async(): pass

@pytest.fixture
def test_data(): pass

def outer():
    def test_inside(): pass

if sys.platform != "win32":
    def test_platform(): pass

class Plain:
    def test_no(self): pass

class TestThing:
    def test_method(self): pass
    def helper(self): pass
    class TestNested:
        def test_deep(self): pass

class Legacy(unittest.TestCase):
    def test_old(self): pass

class Younger(Legacy):
    def test_young(self): pass

class Mixin:
    def test_mixed(self): pass

class TestMixed(Mixin): pass
"""


def names(language: Language, source: bytes, path: bytes = b"x") -> list[str]:
    return [test.name for test in units_of(language, path, source)]


def test_pytest_and_unittest_conventions() -> None:
    assert names(Language.PYTHON, PYTHON) == [
        "test_function",
        "test_async",
        "test_platform",
        "TestThing::test_method",
        "TestThing::TestNested::test_deep",
        "Legacy::test_old",
        "Younger::test_young",
        "Mixin::test_mixed",
    ]


def test_go_conventions() -> None:
    source = b"""package a
func TestA(t *testing.T) {}
func Test(t *testing.T) {}
func Testify(t *testing.T) {}
func TestMain(m *testing.M) {}
func BenchmarkB(b *testing.B) {}
func ExampleC() {}
func FuzzD(f *testing.F) {}
func (s *Suite) TestE() {}
"""
    found = units_of(Language.GO, b"a_test.go", source)
    assert [(test.name, test.kind) for test in found] == [
        ("TestA", "test"),
        ("Test", "test"),
        ("BenchmarkB", "benchmark"),
        ("ExampleC", "example"),
        ("FuzzD", "fuzz"),
    ]
    assert names(Language.GO, source, b"a.go") == []
    suite = source.replace(b"package a\n", b'package a\nimport "github.com/stretchr/testify/suite"\n')
    assert names(Language.GO, suite, b"a_test.go")[-1] == "Suite.TestE"


def test_javascript_titles_are_joined_from_the_outside_in() -> None:
    source = b"""
describe("a", () => {
  const h = 1;
  it("b", async () => { it("no") });
  it.each([1])("c %s", () => {});
  test.skip(`t`, function () {});
  describe.each`a|b`("d", () => { it("e", () => {}); });
  it.todo("w"); it.skipIf(x)("s", () => {});
  describe(Foo, () => { it("x", callback) });
  beforeEach(() => {});
});
test("top", (t) => {}).timeout(5);
test.beforeEach(() => {});
testIf(posix)("if", () => {}); describeOnPosix("p", () => { it("q", () => {}); });
Deno.test("deno", () => {});
re.test("x"); obj.it("q", () => {}); item("z", () => {});
"""
    assert names(Language.TYPESCRIPT, source) == [
        "a > b",
        "a > c %s",
        "a > t",
        "a > d > e",
        "a > w",
        "a > s",
        "a > Foo > x",
        "top",
        "if",
        "p > q",
        "deno",
    ]


def test_rust_attributes_make_tests() -> None:
    source = b"""
#[cfg(test)]
mod tests {
    #[test]
    fn a() {}
    #[tokio::test(flavor = "x")]
    #[ignore]
    async fn b() {}
    fn helper() {}
    #[bench]
    fn c(b: &mut Bencher) {}
}
"""
    assert names(Language.RUST, source) == ["tests::a", "tests::b", "tests::c"]


def test_java_annotations_make_tests() -> None:
    source = b"""
class ATest {
    @Test void a() {}
    @ParameterizedTest @ValueSource(ints = {1}) void b(int x) {}
    @BeforeEach void c() {}
    @Nested class Inner { @org.junit.Test public void d() {} }
}
class Old extends TestCase { public void testE() {} }
"""
    assert names(Language.JAVA, source) == ["ATest.a", "ATest.b", "ATest.Inner.d", "Old.testE"]


BEFORE = b"""class TestA:
    # about x
    @pytest.mark.p(1)
    def test_x(self):
        assert f(1)

    def test_gone(self): pass
"""


def test_added_altered_and_removed_tests() -> None:
    after = BEFORE.replace(b"f(1)", b"f(2)").replace(b"test_gone", b"test_new")
    changed = changed_tests(Language.PYTHON, b"t.py", BEFORE, after)
    assert (changed.added, changed.altered, changed.removed) == (
        ("TestA::test_new",),
        ("TestA::test_x",),
        ("TestA::test_gone",),
    )


def test_a_changed_decorator_alters_a_test() -> None:
    changed = changed_tests(Language.PYTHON, b"t.py", BEFORE, BEFORE.replace(b"p(1)", b"p(2)"))
    assert changed.altered == ("TestA::test_x",)


def test_comments_layout_and_neighbours_do_not_alter_a_test() -> None:
    after = BEFORE.replace(b"about", b"on").replace(b"class TestA:\n", b"class TestA:\n    Y = 1\n\n")
    after = after.replace(b"f(1)\n", b"f(\n            1)  # one\n") + b"\n    def setup(self): pass\n"
    changed = changed_tests(Language.PYTHON, b"t.py", BEFORE, after)
    assert (changed.added, changed.altered, changed.removed) == ((), (), ())


def test_an_absent_file_has_no_tests() -> None:
    both = ("TestA::test_x", "TestA::test_gone")
    assert changed_tests(Language.PYTHON, b"t.py", None, BEFORE).added == both
    assert changed_tests(Language.PYTHON, b"t.py", BEFORE, None).removed == both


@given(st.sampled_from(list(Language)), st.binary(max_size=200))
def test_any_bytes_have_tests(language: Language, source: bytes) -> None:
    for test in units_of(language, b"a_test.go", source):
        assert source[test.unit.span.start : test.unit.span.end]
