"""What can be seen of MASIS from outside: logs, metrics, traces. None of it ever carries a secret."""
