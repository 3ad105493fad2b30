"""The engine that needs no model: it answers with the documents' own sentences and audits by code."""
