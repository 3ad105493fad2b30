"""Checks an answer against its evidence in plain code: it calls no model and does no input or output."""
