"""Documents become passages, passages get vectors, and a question finds them: `Library` is the entry point."""
