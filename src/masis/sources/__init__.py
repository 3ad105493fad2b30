"""Turns bytes into text with pages: one module per family of formats."""

from masis.sources.parse import parse, supported_extensions

__all__ = ["parse", "supported_extensions"]
