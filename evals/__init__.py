"""Benchmarks and evaluations of MASIS: their own package, never imported by it."""
