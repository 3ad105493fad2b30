"""Documents that do not agree with each other; `conflicts` puts it together."""
