"""What a relevance of 0.60 means for each embedder."""
