"""How a project's own checks are run inside a sandbox and read outside of it, test by test.

The harness that goes in (`harness/`), the pure making of plan folders (`plan`), one reader a result format
(`readers/`) and the shape they all give (`results`). Where a plan runs, and what an outcome means, is not known here.
"""
