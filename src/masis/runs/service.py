"""Masis: ask, ingest and resume in a few lines. Every method has an async twin whose name starts with `a`."""

from masis.runs.document_methods import DocumentMethods
from masis.runs.run_methods import RunMethods


class Masis(RunMethods, DocumentMethods):
    """
    >>> masis = Masis()                                               # doctest: +SKIP
    >>> masis.ingest(["reports/"], workspace="acme")                  # doctest: +SKIP
    >>> print(masis.ask("What was churn in 2025?", workspace="acme").answer)   # doctest: +SKIP
    """
