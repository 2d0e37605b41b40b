"""Change2Task: verified coding-agent tasks from merged changes, on one healthy modern revision."""
