"""Rows of one table of some logs: the function that an engine spreads over its machines.

It is pure: the same logs, key and arguments give the same rows on every machine. The key must be given, because each call without one
makes its own, and then no two machines agree on the name of a log.
"""

import cwl
import pyarrow


class RowsOf:
    """Makes rows of a table; the arguments are those of `cwl.tables`."""

    def __init__(self, table, key, **asked):
        self.table, self.asked = table, dict(asked, key=key)

    def __call__(self, paths):
        return pyarrow.table(cwl.tables(paths, **self.asked)[self.table])

    def schema(self):
        return self([]).schema
