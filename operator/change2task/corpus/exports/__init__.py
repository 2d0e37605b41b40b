"""Tasks in the forms that others read. Pure: a task in, a mapping of path to bytes out; ``writing`` alone writes."""
