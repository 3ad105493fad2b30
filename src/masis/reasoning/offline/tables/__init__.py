"""Answers from tables: every reading of a question over a table is made and weighed, and the surest one is told."""
