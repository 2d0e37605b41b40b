"""A real Kubernetes cluster for tests: ``make cluster``, ``make cluster-down``; see docs/cluster-tests.md.

kind runs it everywhere. Where its node image cannot be pulled, one is built here of Debian packages and Go modules.
"""
