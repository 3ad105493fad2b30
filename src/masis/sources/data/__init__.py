"""Data files: CSV, JSON, XML."""
