"""Finds documents that disagree with each other; `detection` is the entry point."""
