"""E-mail: messages, Outlook files, signed mail."""
