"""A durable queue in the database: every job gets done, by whichever process is alive.

LangGraph's checkpoints and the ingestion's own bookkeeping know how far a job is; the queue only knows whose turn it
is. A worker holds a job by a lease that it renews; when it dies, the lease expires and another worker takes over.
"""
