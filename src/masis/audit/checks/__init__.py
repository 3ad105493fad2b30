"""Does the cited passage say it? One check a module; `verdicts` puts them together."""
