"""Plain code that checks an answer against its evidence: no model, no input or output."""
