"""Reads text into values: sentences, statements, tables, quantities, periods, names. Imports nothing of ours but
types."""
