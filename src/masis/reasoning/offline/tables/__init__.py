"""Answers from tables: the engine carries out every reading of a question over a table, weighs the results and gives
the surest."""
