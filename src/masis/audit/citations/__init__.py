"""Determines which sentence cites what, and what kind of sentence it is."""
