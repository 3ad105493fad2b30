"""Checks whether the cited passage says what the claim says. One check per module; `support` runs them all."""
