"""A table of many logs with PySpark: `mapInArrow` over their paths."""

import pyarrow

# Spark's names of the types that the tables have.
TYPES = {pyarrow.string(): "string", pyarrow.int64(): "bigint", pyarrow.float64(): "double", pyarrow.bool_(): "boolean"}


def table_on_spark(spark, paths, rows_of, n_tasks):
    """Returns a data frame of the rows. Spark runs a task again elsewhere when its machine is gone."""
    schema = rows_of.schema()

    def rows(batches):
        for batch in batches:
            table = rows_of(batch.column("path").to_pylist())
            yield from table.cast(in_microseconds(table.schema)).to_batches()

    logs = spark.createDataFrame([(str(path),) for path in paths], "path string")
    columns = ", ".join(f"`{field.name}` {TYPES.get(field.type, 'timestamp')}" for field in schema)
    return logs.repartition(n_tasks).mapInArrow(rows, columns)


def in_microseconds(schema):
    """Returns the schema with moments as Spark has them."""
    moment = pyarrow.timestamp("us", "UTC")
    return pyarrow.schema([pyarrow.field(one.name, moment if pyarrow.types.is_timestamp(one.type) else one.type) for one in schema])
