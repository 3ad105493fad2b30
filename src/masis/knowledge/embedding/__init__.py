"""Embedders: the one that installs with MASIS, a folder's, an endpoint's; and the cache of their vectors."""
