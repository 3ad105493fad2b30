"""Answers from tables: every reading of a question over a table is tried and weighed, and the surest one is given."""
