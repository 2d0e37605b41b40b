"""Asking a forge for what git does not know: titles, bodies, labels and the issues that requests close."""
