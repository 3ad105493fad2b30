"""A durable queue in the database: every job gets done, by whichever process is alive.

LangGraph's checkpoints and the records of an ingestion store how far a job has got; the queue only stores who works on
it. A worker holds a job by a lease that it renews; if it dies, the lease expires and another worker takes over.
"""
