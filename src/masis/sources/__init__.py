"""Bytes to text with pages: one module per format family."""

from masis.sources.parse import parse, supported_extensions

__all__ = ["parse", "supported_extensions"]
