"""Formats that mark up text: HTML, Markdown, LaTeX, EPUB, XML articles and others."""
