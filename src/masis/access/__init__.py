"""Who may do what: API keys with roles, their rate limits, and the audit log."""
