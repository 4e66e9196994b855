"""The examples on two real local clusters of two workers, of which one is killed midway: rows and trial are those of one machine."""

import json
import os
import signal
import subprocess
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
from trial import rows_of_trial, trial  # noqa: E402
from watched import Watched  # noqa: E402

KEY = bytes(range(32))
RUNS = "cwl,cwl+,mask,window@8k,20k,40k"
# A worker is killed when so many batches are done.
MIDWAY = 6
AT_ONCE = 4


@pytest.fixture(scope="module")
def paths():
    found = cwl.sessions([ROOT / "samples"])
    assert len(found) > 60
    return found


@pytest.fixture(scope="module")
def on_one_machine(paths):
    """The rows of the three tables, made by one call each."""
    return {name: rows_of(paths) for name, rows_of in rows_of_trial(KEY, [RUNS]).items()}


@pytest.fixture(scope="module")
def of_program(tmp_path_factory):
    """The trial of the program, without its folder and without the contents of the logs, which no row has."""
    folder = tmp_path_factory.mktemp("trial")
    (folder / "key").write_text(KEY.hex())
    command = [os.environ["CWL_PROGRAM"], "trial", ROOT / "samples", "--out", folder, "--runs", RUNS, "--json", "--quiet"]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    levels = answer["groups"][0]["levels"]
    assert any(policy["recall_difference"]["value"] for level in levels for policy in level["policies"]), "the policies differ"
    return {**answer, "folder": "", "inputs": None}


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


def check_rows(found, watched, killed, expected, paths):
    killed.join()
    assert killed.killed is not None, "a worker was killed"
    assert killed.n_done < len(paths), "it was killed midway"
    logs = [path for _, batch in watched.done() for path in batch]
    assert set(logs) == set(paths)
    assert found.num_rows == expected.num_rows
    assert in_order(found.cast(expected.schema)) == in_order(expected), "byte for byte, after sorting"


def trial_with_kills(table_of, kill, paths, on_one_machine, folder):
    """Makes a trial on a cluster, of which a worker is killed midway in the making of each table."""

    def with_kill(rows_of):
        watched = Watched(rows_of, folder / rows_of.table)
        killed = Killed(watched, len(paths), kill)
        killed.start()
        found = table_of(watched)
        check_rows(found, watched, killed, on_one_machine[rows_of.table], paths)
        return found

    return trial(with_kill, KEY, [RUNS])


def test_ray(paths, on_one_machine, of_program, tmp_path):
    import ray
    from on_ray import table_on_ray
    from ray.cluster_utils import Cluster

    # Ray gives its workers a low priority, and on a busy machine they would wait for all others.
    os.environ["RAY_worker_niceness"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    workers = [cluster.add_node(num_cpus=1) for _ in range(2)]

    def table_of(rows_of):
        if len(workers) < 2:
            workers.append(cluster.add_node(num_cpus=1))
        return pyarrow.concat_tables(ray.get(table_on_ray(paths, rows_of, AT_ONCE).to_arrow_refs()))

    def kill(_):
        return cluster.remove_node(workers.pop(0), allow_graceful=False) or "a node"

    try:
        ray.init(address=cluster.address, log_to_driver=False)
        assert trial_with_kills(table_of, kill, paths, on_one_machine, tmp_path) == of_program
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_spark(paths, on_one_machine, of_program, tmp_path):
    import pyspark
    from on_spark import table_on_spark
    from pyspark.sql import SparkSession

    os.environ.update(SPARK_HOME=str(Path(pyspark.__file__).parent), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.session.timeZone", "UTC").config("spark.driver.host", "127.0.0.1").getOrCreate()

    def table_of(rows_of):
        return table_on_spark(spark, paths, rows_of, len(paths) // AT_ONCE).toArrow()

    def kill(done):
        # A worker of Python is a child of the executor, which is the nearest program of Java.
        executor = next(pid for pid in done[0][0] if psutil.Process(pid).name() == "java")
        os.kill(executor, signal.SIGKILL)
        return executor

    try:
        assert trial_with_kills(table_of, kill, paths, on_one_machine, tmp_path) == of_program
    finally:
        spark.stop()
