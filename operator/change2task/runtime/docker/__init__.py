"""Containers of a Docker engine as sandboxes, and the images they start from. Nothing else imports the engine's SDK."""
