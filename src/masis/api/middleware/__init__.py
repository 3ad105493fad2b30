"""Around every route: limits, keys, errors as problems, and the same response for the same request."""
