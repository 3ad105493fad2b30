"""Reads files in confined processes, so that a hostile file can only harm its own process."""
