"""From a reference to evidence: which merged change is meant, what it touched, what it was for, how large it was."""
