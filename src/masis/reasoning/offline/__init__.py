"""The engine that needs no chat model: it answers with the documents' own sentences and audits them by code."""
