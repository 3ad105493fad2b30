"""The service over HTTP: one file per group of routes, put together in `app`."""
