"""What MASIS shows to the outside: logs, metrics and traces. None of them ever contains a secret."""
