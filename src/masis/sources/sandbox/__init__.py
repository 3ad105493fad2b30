"""Reads files in limited processes, so that a hostile file costs its own process and nothing else."""
