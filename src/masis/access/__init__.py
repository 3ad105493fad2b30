"""Who may do what: API keys with roles, how often they may ask, and the log of what was done with them."""
