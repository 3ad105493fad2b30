"""Office files: Word, PowerPoint, Excel, OpenDocument and rich text, old and new."""
