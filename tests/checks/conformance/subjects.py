"""All subjects, in the order of the table."""

from __future__ import annotations

from tests.checks.conformance.compiled import CARGO, GO
from tests.checks.conformance.in_node import JEST, MOCHA, NODE, VITEST
from tests.checks.conformance.in_python import PYTEST, UNITTEST
from tests.checks.conformance.reporting import CTEST, PERL, PYTEST_XML

SUBJECTS = (PYTEST, UNITTEST, GO, CARGO, NODE, JEST, VITEST, MOCHA, CTEST, PYTEST_XML, PERL)
