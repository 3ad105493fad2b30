"""Documents become chunks, chunks become vectors, a question finds them again: `Library` is the way in."""
