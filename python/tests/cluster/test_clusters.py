"""The examples on two real local clusters of two workers, of which one is killed midway: the rows are those of one machine."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import psutil
import pyarrow
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "python/examples")]
# The workers import the same files.
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), str(ROOT / "python/examples"), os.environ.get("PYTHONPATH", "")])

import cwl  # noqa: E402
from rows import RowsOf  # noqa: E402
from watched import Watched  # noqa: E402

KEY = bytes(range(32))
# A worker is killed when so many batches are done.
MIDWAY = 6
AT_ONCE = 4


@pytest.fixture(scope="module")
def paths():
    found = cwl.sessions([ROOT / "samples"])
    assert len(found) > 60
    return found


def in_order(table):
    """Returns the bytes of a table, sorted by all of its columns."""
    table = table.combine_chunks().sort_by([(name, "ascending") for name in table.column_names])
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    return sink.getvalue().to_pybytes()


class Killed(threading.Thread):
    """Waits until some batches are done, and kills a worker; `kill` is told the batches and returns what was killed."""

    def __init__(self, watched, n_logs, kill):
        super().__init__()
        self.watched, self.n_logs, self.kill = watched, n_logs, kill
        self.killed, self.n_done = None, None

    def run(self):
        end = time.monotonic() + 300
        while time.monotonic() < end:
            done = self.watched.done()
            if len(done) >= MIDWAY:
                self.n_done = sum(len(paths) for _, paths in done)
                self.killed = self.kill(done)
                return
            time.sleep(0.02)


def check(found, watched, killed, rows_of, paths):
    killed.join()
    assert killed.killed is not None, "a worker was killed"
    assert killed.n_done < len(paths), "it was killed midway"
    logs = [path for _, batch in watched.done() for path in batch]
    assert set(logs) == set(paths)
    expected = rows_of(paths)
    assert found.num_rows == expected.num_rows
    assert in_order(found.cast(expected.schema)) == in_order(expected), "byte for byte, after sorting"


@pytest.mark.parametrize("table", ["turns", "runs"])
def test_ray(table, paths, tmp_path):
    import ray
    from on_ray import table_on_ray
    from ray.cluster_utils import Cluster

    rows_of = RowsOf(table, KEY, runs=["cwl,mask:keep=5,none@40k"])
    watched = Watched(rows_of, tmp_path)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        workers = [cluster.add_node(num_cpus=1) for _ in range(2)]
        ray.init(address=cluster.address, log_to_driver=False)
        killed = Killed(watched, len(paths), lambda _: cluster.remove_node(workers[0], allow_graceful=False) or "a node")
        killed.start()
        found = pyarrow.concat_tables(ray.get(table_on_ray(paths, watched, AT_ONCE).to_arrow_refs()))
        check(found, watched, killed, rows_of, paths)
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.parametrize("table", ["turns", "runs"])
def test_spark(table, paths, tmp_path):
    import pyspark
    from on_spark import table_on_spark
    from pyspark.sql import SparkSession

    os.environ.update(SPARK_HOME=str(Path(pyspark.__file__).parent), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    rows_of = RowsOf(table, KEY, runs=["cwl,mask:keep=5,none@40k"])
    watched = Watched(rows_of, tmp_path)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.session.timeZone", "UTC").config("spark.driver.host", "127.0.0.1").getOrCreate()
    try:

        def kill(done):
            # A worker of Python is a child of the executor, which is the nearest program of Java.
            executor = next(pid for pid in done[0][0] if psutil.Process(pid).name() == "java")
            os.kill(executor, signal.SIGKILL)
            return executor

        killed = Killed(watched, len(paths), kill)
        killed.start()
        n_tasks = len(paths) // AT_ONCE
        found = table_on_spark(spark, paths, watched, n_tasks).toArrow()
        check(found, watched, killed, rows_of, paths)
    finally:
        spark.stop()
