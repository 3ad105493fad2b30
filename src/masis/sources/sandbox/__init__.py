"""Reads files in limited processes, so that a hostile file can only harm its own process."""
