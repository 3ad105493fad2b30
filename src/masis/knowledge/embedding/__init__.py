"""Embedders (the built-in one, one in a folder, one at an endpoint) and the cache of their vectors."""
