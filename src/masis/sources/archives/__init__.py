"""Archives and containers: what is inside them."""
