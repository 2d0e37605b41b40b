"""From a repository's history to the changes worth trying: what each commit belongs to, what is left out, and why."""
