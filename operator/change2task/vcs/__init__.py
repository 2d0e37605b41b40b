"""The only room that runs git: repositories as objects and trees of bytes, and nothing of theirs is ever executed."""
