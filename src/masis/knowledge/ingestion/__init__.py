"""From a file to passages in the index."""
