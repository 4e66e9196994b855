"""The package against the program: what it answers is what `cwl --json` says, and its tables are those of `cwl corpus`."""

import json
import os
import subprocess
import sys
import threading
import typing
from pathlib import Path

import cwl
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
LOG = SAMPLES / "claude-code/compaction/input.jsonl"
LONG = SAMPLES / "pi/long/input.jsonl"
KEY = bytes(range(32))


def program(*args):
    done = subprocess.run([os.environ["CWL_PROGRAM"], *map(str, args), "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def said(*args):
    return json.loads(program(*args, "--json"))


@pytest.fixture(scope="module")
def long_one():
    return cwl.open(LONG)


@pytest.mark.parametrize("log", [LOG, LONG, SAMPLES / "codex/quickstart/input.jsonl"], ids=lambda log: log.parent.name)
def test_answers_are_those_of_the_program(log):
    session = cwl.open(log)
    report = said("report", log)
    assert session.about() == report["session"]
    assert session.graph() == report["graph"]
    assert session.replay() == report["replay"]
    [linted] = said("lint", log)["logs"]
    assert [one["message"] for one in session.findings()] == [one["message"] for one in linted["findings"]]


def test_options_and_budgets_are_those_of_the_program(long_one):
    report = said("report", LONG, "--policy", "mask", "--budget", "40k", "--set", "keep=5", "--set", "until_met=1")
    for budget in (40_000, "40k"):
        assert long_one.replay("mask", budget, keep=5, until_met=1) == report["replay"]
    assert long_one.replay("mask", 40_000) != report["replay"]
    [point] = said("sweep", LONG, "--policy", "mask", "--budgets", "40k", "--set", "keep=5")["points"]
    measured = long_one.measure("mask", "40k", keep=5)
    assert measured["options"] == "keep=5"
    assert {name: measured[name] for name in ("cost", "recall", "budget")} == {name: point[name] for name in ("cost", "recall", "budget")}
    assert long_one.replay("cwl", "40k", classify_shell=False) == said("report", LONG, "--budget", "40k", "--set", "classify_shell=false")["replay"]


def test_a_context_is_written_in_every_form(long_one):
    at = ("--turn", "30", "--step", "0", "--budget", "40k")
    for form in ("pi", "anthropic", "openai", "openai-chat", "gemini"):
        assert long_one.context(30, 0, as_=form, budget="40k") == json.loads(program("context", LONG, "--as", form, *at)), form
    listed = long_one.context(30, 0, "list", budget="40k")
    assert listed["items"] == said("context", LONG, *at)["items"]
    assert isinstance(long_one.context(as_="text"), str)
    assert long_one.context() == long_one.context(as_="anthropic")


def test_tables_are_those_of_a_corpus(tmp_path):
    (tmp_path / "key").write_text(KEY.hex())
    runs = "cwl,mask:keep=5,none@40k"
    program("corpus", LOG, "--out", tmp_path / "made", "--key", tmp_path / "key", "--runs", runs)
    one, many = cwl.open(LOG, tokenizer="o200k").tables(runs=[runs], key=KEY), cwl.tables([LOG], runs=[runs], key=KEY)
    assert list(one) == list(many) and len(one) == 9 and one.n_unread == 0
    for name in one:
        expected = pyarrow.parquet.read_table(tmp_path / "made" / name)
        for table in (one[name], many[name]):
            found = pyarrow.table(table)
            assert found.column_names == expected.column_names == table.columns, name
            assert found.to_pylist() == expected.to_pylist(), name
            assert found.schema.equals(expected.schema), name
    assert [row["options"] for row in pyarrow.table(one["runs"]).to_pylist()] == ["", "keep=5", ""]


def test_readers_take_a_table_without_a_copy(long_one):
    turns = long_one.tables()["turns"]
    first, second = pyarrow.table(turns), pyarrow.table(turns)
    assert len(turns) == first.num_rows > 50

    def places(table):
        # The validity of a column without a null is left out.
        return [[part and part.address for part in column.chunk(0).buffers()] for column in table.columns]

    assert places(first) == places(second), "both readers have the same memory"
    del turns
    frame = polars.DataFrame(long_one.tables()["turns"])
    panda = pandas.DataFrame.from_arrow(long_one.tables()["turns"])
    assert frame["turn"].to_list() == list(panda["turn"]) == first["turn"].to_pylist()
    assert first.schema.field("sent").metadata[b"unit"] == b"tokens"
    assert first.schema.field("at").type == pyarrow.timestamp("ms", "UTC")
    assert second.validate(full=True) is None


def test_texts_come_as_they_are_asked_for():
    def paths(**asked):
        return pyarrow.table(cwl.tables([LOG], **asked)["sessions"])["path"].to_pylist()

    assert paths(texts="plain") == [str(LOG)]
    assert paths(key=KEY) == paths(key=KEY) != [str(LOG)]
    assert paths() != paths(), "each call without a key makes one"


def test_a_log_that_cannot_be_read_is_a_row(tmp_path):
    odd = tmp_path / "odd.jsonl"
    odd.write_bytes(bytes([255, 254, 0, 1]))
    made = cwl.tables([odd, LOG, tmp_path / "gone.jsonl"], texts="plain")
    rows = pyarrow.table(made["sessions"]).to_pylist()
    assert [(row["problem"], row["path"]) for row in rows] == [("binary", str(odd)), (None, str(LOG)), ("missing", str(tmp_path / "gone.jsonl"))]
    assert made.n_unread == 2


@pytest.mark.parametrize(
    ("ask", "code", "words"),
    [
        (lambda session: cwl.open("no/such.jsonl"), "missing", "no/such.jsonl"),
        (lambda session: session.replay("magic"), "badView", "unknown policy `magic`; known policies are"),
        (lambda session: session.replay("mask", "40k", keep="x"), "badView", "`keep` takes 0..100000, not `x`"),
        (lambda session: session.replay(budget="much"), "badView", "much"),
        (lambda session: session.context(100_000), "badRequest", "there is no turn 100,000; write 1 to"),
        (lambda session: session.context(as_="xml"), "badRequest", "write it as list, text, pi, anthropic, openai, openai-chat, gemini"),
        (lambda session: session.tables(texts="all"), "badRequest", "hashed, redacted or plain"),
        (lambda session: session.tables(runs=["cwl"]), "badRequest", "names no budget"),
    ],
)
def test_errors_have_the_words_of_the_program(long_one, ask, code, words):
    with pytest.raises(cwl.CwlError) as raised:
        ask(long_one)
    assert words in str(raised.value)
    assert raised.value.code == code
    assert raised.value.hint is None or raised.value.hint in str(raised.value)


def test_the_words_are_those_of_the_command_line(long_one):
    with pytest.raises(cwl.CwlError) as raised:
        long_one.replay("mask", keep="x")
    command = [os.environ["CWL_PROGRAM"], "report", str(LONG), "--policy", "mask", "--set", "keep=x"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert str(raised.value) in " ".join(done.stderr.split())


def test_wrong_arguments_are_errors_of_python(long_one):
    with pytest.raises(ValueError, match="32 bytes"):
        long_one.tables(key=b"short")
    with pytest.raises(KeyError, match="there are sessions"):
        long_one.tables()["magic"]


def test_other_threads_run_meanwhile():
    begun, ended = threading.Event(), threading.Event()

    def work():
        begun.set()
        cwl.open(LONG).measure("cwl", 40_000)
        ended.set()

    before = sys.getswitchinterval()
    # Python itself takes the lock from no thread for a quarter of an hour, so this one gets it only where the engine gives it.
    sys.setswitchinterval(900)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        assert not ended.is_set()
        thread.join()
    finally:
        sys.setswitchinterval(before)


def test_sessions_are_found_in_folders():
    found = cwl.sessions([SAMPLES / "pi"])
    assert str(LONG) in found and all(isinstance(one, str) for one in found)
    assert {policy["name"] for policy in cwl.policies()} >= {"cwl", "mask", "none"}


def test_a_url_is_read_through_fsspec():
    import fsspec

    url = "memory://bucket/session.jsonl"
    with fsspec.open(url, "wb") as file:
        file.write(LOG.read_bytes())
    session = cwl.open(url)
    assert session.graph() == cwl.open(LOG).graph()
    rows = pyarrow.table(cwl.tables([url], texts="plain")["sessions"]).to_pylist()
    assert [row["path"] for row in rows] == [url]
    # The texts of a session are where it was fetched to, for as long as it lives.
    assert session.context(as_="text") == cwl.open(LOG).context(as_="text")


def test_the_stubs_name_everything_that_there_is():
    stubs = (Path(cwl.__file__).parent / "__init__.pyi").read_text()
    assert (Path(cwl.__file__).parent / "py.typed").exists()
    told = typing.cast(dict, {})
    exec(compile(stubs.replace(": ...\n", ": pass\n"), "stubs", "exec"), told)
    for name in cwl.__all__:
        assert name in told or f"\n{name}: " in stubs, name
    for kind in (cwl.Session, cwl.Table, cwl.Tables):
        there = {name for name in vars(kind) if not name.startswith("__")}
        stated = {name for name in vars(told[kind.__name__]) if not name.startswith("__")}
        assert there == stated, kind
