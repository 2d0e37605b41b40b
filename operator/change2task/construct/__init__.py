"""From evidence to a task state: strategies that undo a change on later code, and what follows from one.

D is never written by hand: a strategy proposes a whole tree, and D, G and T are the differences of trees, so
that restoring is exact by construction and proved anyway. Judging a proposal is left to ``validate``.
"""
