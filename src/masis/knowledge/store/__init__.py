"""The vector store: one interface, with Qdrant in this process or on a server."""
