"""Text in, values out: sentences, statements, tables, quantities, periods, names. Imports nothing of ours but types."""
