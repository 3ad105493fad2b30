"""Scripts for make, never used by the product."""
