"""Images of text: which kinds there are, and what can read them."""
