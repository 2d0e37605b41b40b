"""Looking for a task's answer in everything its agent can read."""
