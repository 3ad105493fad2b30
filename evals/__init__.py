"""Benchmarks and evaluations of MASIS: a separate package that the product never imports."""
