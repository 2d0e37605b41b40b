"""The demo: a real history made of published source archives, and the product's main job done on it.

A package's releases are what its authors wrote, with tests and change notes, and any package index serves them; so
the demo needs no forge and no third party's code in this repository.
"""
