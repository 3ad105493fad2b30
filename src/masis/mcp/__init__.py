"""MASIS for other agents: a Model Context Protocol server over standard input and output, or over HTTP."""
