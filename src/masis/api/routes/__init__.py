"""The routes, one module for each group."""
