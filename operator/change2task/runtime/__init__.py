"""Where commands run: sandboxes, their limits, and the folders of a run. Knows nothing of tests or of git."""
