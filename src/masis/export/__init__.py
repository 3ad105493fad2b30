"""A run as a file to share: JSON for programs; Markdown, HTML, DOCX and PDF for people, all with the same content."""
