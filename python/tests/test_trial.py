"""A trial of rows against the program: the answer is that of `cwl trial --json` over the same logs."""

import json
import os
import subprocess
from pathlib import Path

import cwl
import polars
import pyarrow
import pyarrow.compute
import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
KEY = bytes(range(32))
RUNS = "cwl,cwl+,mask,window@8k,20k,40k"


def columns_of(table, change):
    """Returns the table with each column and its field as `change` gives them."""
    return pyarrow.table({name: change(table[name]) for name in table.column_names})


@pytest.fixture(scope="module")
def of_program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trial")
    (folder / "key").write_text(KEY.hex())
    command = [os.environ["CWL_PROGRAM"], "trial", SAMPLES / "pi", "--out", folder, "--runs", RUNS, "--json", "--quiet"]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    # The rows are of no folder, and the contents of the logs are not in them.
    return {**answer, "folder": "", "inputs": None}


@pytest.fixture(scope="module")
def rows():
    tables = cwl.tables(cwl.sessions([SAMPLES / "pi"]), runs=[RUNS, "none@80k"], key=KEY)
    return {name: pyarrow.table(tables[name]) for name in ("runs", "turns", "sessions")}


def test_a_trial_is_that_of_the_program(rows, of_program, tmp_path):
    page = tmp_path / "trial.html"
    assert cwl.trial(**rows, page=page) == of_program
    levels = of_program["groups"][0]["levels"]
    assert len({policy["policy"] for level in levels for policy in level["policies"]}) == 4
    assert any(policy["recall_difference"]["value"] for level in levels for policy in level["policies"])
    assert "cwl trial PATH" in page.read_text()


def test_rows_come_in_any_order_and_from_any_program(rows, of_program):
    backwards = {name: table.take(list(range(table.num_rows))[::-1]) for name, table in rows.items()}
    batches = {name: pyarrow.concat_tables([table.slice(40), table.slice(0, 40)]) for name, table in rows.items()}
    large = {name: columns_of(table, lambda one: one.cast("large_string") if pyarrow.types.is_string(one.type) else one) for name, table in rows.items()}
    # Spark has moments in microseconds, Polars strings as views.
    moments = {name: columns_of(table, lambda one: one.cast(pyarrow.timestamp("us", "UTC")) if pyarrow.types.is_timestamp(one.type) else one) for name, table in rows.items()}
    views = {name: polars.DataFrame(table) for name, table in rows.items()}
    made = cwl.tables(cwl.sessions([SAMPLES / "pi"]), runs=[RUNS, "none@80k"], key=KEY)
    own = {name: made[name] for name in rows}
    for given in (backwards, batches, large, moments, views, own):
        assert cwl.trial(**given) == of_program


def test_a_column_without_a_value_may_have_no_type(rows):
    untyped = rows["runs"].set_column(rows["runs"].column_names.index("cost"), "cost", pyarrow.nulls(rows["runs"].num_rows))
    costs = [level["policies"] for level in cwl.trial(**{**rows, "runs": untyped})["groups"][0]["levels"] if level["equal"] == "cost"]
    assert costs == [[], [], []], "no model has a known price"


def with_type(rows, table, column, kind):
    place = rows[table].column_names.index(column)
    return {**rows, table: rows[table].set_column(place, column, rows[table][column].cast(kind))}


def of_policies(rows, policies):
    kept = pyarrow.compute.is_in(rows["runs"]["policy"], pyarrow.array(policies, "string"))
    return {**rows, "runs": rows["runs"].filter(kept)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: {**rows, "runs": rows["runs"].drop_columns("sent")}, ("the table `runs` has no column `sent`", '`cwl.tables(…)["runs"]` of this version')),
        (lambda rows: {**rows, "turns": rows["sessions"].drop_columns("unlogged")}, ("the table `turns` has no column `unlogged`",)),
        (lambda rows: with_type(rows, "runs", "cost", "float64"), ("the column `cost` of the table `runs` is Float64", "cast it to int64")),
        (lambda rows: with_type(rows, "sessions", "harness", "binary"), ("the column `harness` of the table `sessions` is Binary", "cast it to string")),
        (lambda rows: of_policies(rows, ["cwl", "mask"]), ("no session has a run of `none`", "runs=[")),
        (lambda rows: of_policies(rows, ["none"]), ("and one of another policy", "runs=[")),
        (lambda rows: of_policies(rows, []), ("the table of runs is empty", "runs=[")),
        (lambda rows: {**rows, "turns": pyarrow.table(cwl.tables(cwl.sessions([SAMPLES / "pi"]))["turns"])}, ("has no row in the table `turns`", "the same `key`")),
        (lambda rows: {**rows, "sessions": rows["sessions"].to_pylist()}, ("the table `sessions` is no table of Arrow but list", "`pyarrow.Table`")),
    ],
)
def test_tables_that_cannot_be_compared_are_refused(rows, change, words):
    with pytest.raises(cwl.CwlError) as raised:
        cwl.trial(**change(rows))
    assert raised.value.code == "badRequest" and raised.value.hint in str(raised.value)
    assert all(part in str(raised.value) for part in words), str(raised.value)


def test_a_page_that_cannot_be_written_is_an_error_with_its_place(rows, tmp_path):
    with pytest.raises(cwl.CwlError, match="the page cannot be written") as raised:
        cwl.trial(**rows, page=tmp_path / "no/trial.html")
    assert raised.value.code == "unwritable" and "no/trial.html" in str(raised.value)
