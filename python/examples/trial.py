"""A trial of many logs: Ray or Spark makes the rows of three tables, and `cwl.trial` compares the policies on this machine."""

import cwl
from rows import RowsOf


def rows_of_trial(key, runs):
    """Returns the function that makes rows of each table; one key names a log alike in all of them.

    Policies are replayed for the table of runs alone. Every session is compared with itself without eviction, so `none` is added.
    """
    return {"runs": RowsOf("runs", key, runs=[*runs, "none@80k"]), "turns": RowsOf("turns", key), "sessions": RowsOf("sessions", key)}


def trial(table_of, key, runs, page=None):
    """Compares the policies in `runs`; `table_of` has an engine make the rows of one table, and returns them as a table of Arrow:

    lambda rows_of: pyarrow.concat_tables(ray.get(table_on_ray(paths, rows_of).to_arrow_refs()))
    lambda rows_of: table_on_spark(spark, paths, rows_of, n_tasks).toArrow()
    """
    tables = {name: table_of(rows_of) for name, rows_of in rows_of_trial(key, runs).items()}
    return cwl.trial(**tables, page=page)
