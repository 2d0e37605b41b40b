"""Readers, one result format a file; change2task.checks.reader lists them."""
