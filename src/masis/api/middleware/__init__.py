"""Wraps every route: limits, keys, errors as problems, and the same response for a repeated request."""
