"""PDF: its text, and its pages as images."""
