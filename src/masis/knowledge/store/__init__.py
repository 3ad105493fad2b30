"""The vector store: one port, Qdrant in this process or on a server."""
