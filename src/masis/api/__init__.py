"""The HTTP service: one file per group of routes, assembled in `app`."""
