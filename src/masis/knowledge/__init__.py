"""Turns documents into passages with vectors, and finds passages for a question. `Library` is the entry point."""
