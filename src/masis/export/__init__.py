"""A run as a file to hand on: JSON for programs; Markdown, HTML, DOCX and PDF for people, all with the same content."""
