"""Compares the tables of the samples, as DuckDB and Polars read them, with what `cwl --json` says, and asks the questions of
docs/corpus.md. Arguments: the program, the root of the project, a folder for the tables. With CWL_GEN it writes the answers."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import polars

PROGRAM, ROOT, FOLDER = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
PAGE = ROOT / "docs/corpus.md"
# The user's own tables and logs have no part in it.
ENV = dict(os.environ, CWL_CONFIG_DIR=str(FOLDER / "config"), CWL_DATA_DIR=str(FOLDER / "data"), HOME=str(FOLDER / "home"))
# Tables count all logs alike; a command counts a log that reports usage in the tokens of its provider.
COUNTED = ["--tokenizer", "o200k"]
TABLES = ["sessions", "turns", "episodes", "dependencies", "findings", "reacquisitions", "compactions", "losses", "runs"]
# A sweep at 40,000 tokens says something of the logs with requests from about this size on.
SWEPT_FROM = 20_000
QUESTION = re.compile(r"### (?P<title>[^\n]+)\n\n(?P<about>(?:[^\n#]+\n\n)?)```sql\n(?P<sql>.*?)```\n\n(?P<answer>.*?)(?=\n### |\n## |\Z)", re.S)


def price_of(cost):
    """What a cost comes to; nothing for a model without a price."""
    return None if cost["unpriced"] else cost["total_cost"]


def cwl(*args):
    done = subprocess.run([PROGRAM, *args, "--quiet"], env=ENV, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"{args}: {done.stderr}"
    return json.loads(done.stdout)


def make(name, *args):
    return cwl("corpus", "samples", "--out", str(FOLDER / "tables" / name), "--json", *args)


def written(value):
    """Writes a value as the page has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:,}" if isinstance(value, int) else str(value)


def ask(database, sql):
    """Returns the names of the columns and the rows of an answer."""
    answer = database.execute(sql)
    return [column[0] for column in answer.description], answer.fetchall()


def markdown(columns, found):
    rows = [columns, ["---"] * len(columns)] + [[written(cell) for cell in row] for row in found]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def ask_all(database):
    """Asks the questions of the page; returns the page with the answers."""
    n_asked = 0

    def answered(found):
        nonlocal n_asked
        n_asked += 1
        return f"### {found['title']}\n\n{found['about']}```sql\n{found['sql']}```\n\n{markdown(*ask(database, found['sql']))}"

    page = QUESTION.sub(answered, PAGE.read_text())
    assert n_asked == page.count("```sql\n") >= 20, f"{n_asked} questions"
    return page, n_asked


def compare(database, made):
    """Compares every table with the answers of the commands, log by log."""
    for table in made["tables"]:
        n_duck = ask(database, f"select count(*) from '{table['name']}/*.parquet'")[1][0][0]
        n_polars = polars.scan_parquet(f"{table['name']}/*.parquet").select(polars.len()).collect().item()
        assert n_duck == n_polars == table["n_rows"], f"{table}: {n_duck} and {n_polars}"
    _, logs = ask(database, "select log, path from 'sessions/*.parquet' where problem is null order by path")
    assert len(logs) > 60, len(logs)
    n_compared = 0

    def same(log, what, found, expected):
        nonlocal n_compared
        n_compared += 1
        assert found == expected, f"{log}: {what}: {found} in the tables, {expected} in the command's JSON"

    workers = ThreadPoolExecutor(os.cpu_count())
    linted = workers.submit(cwl, "lint", *[path for _, path in logs], *COUNTED, "--json")
    reports = workers.map(lambda path: cwl("report", path, *COUNTED, "--json"), [path for _, path in logs])
    asked = []
    for (key, path), report in zip(logs, reports):
        def rows(sql):
            return ask(database, sql.replace("$log", f"'{key}'"))[1]

        # Moments would need another package to become Python's.
        wanted = "select * exclude (started_at, ended_at) from 'sessions/*.parquet'"
        columns, [values] = ask(database, f"{wanted} where log = '{key}'")
        row = dict(zip(columns, values))
        n_turns = report["session"]["n_turns"] - 1
        same(path, "turns", row["n_turns"], n_turns)
        same(path, "title", row["title"], report["session"]["title"])
        same(path, "tokens", row["tokens"], report["history"]["full"][-1])
        same(path, "cost", row["reported_cost"], price_of(report["cost"]["reported"]))
        same(path, "missed", row["missed"], report["cost"]["missed"])
        same(path, "warnings", row["n_warnings"], report["lint"]["warnings"])
        for figure in report["quality"]:
            for part in figure["parts"]:
                column = {("sound", "sound"): "sound_tokens", ("recall", "used"): "edges_used", ("recall", "forgotten"): "edges_forgotten",
                          ("breaches", "breaches"): "n_breaches", ("spent", "calls"): "marks_calls"}.get((figure["name"], part["name"]))
                if column:
                    same(path, column, row[column], part["n"])
        sent = rows("select turn, sent, recorded, reported from 'turns/*.parquet' where log = $log order by turn")
        series = zip(report["replay"]["after"], report["history"]["full"], report["history"]["reported"])
        same(path, "sizes", sent, [(at + 1, *sizes) for at, sizes in enumerate(series)][:n_turns])
        episodes = rows("select name, kind, tokens, kept_4 from 'episodes/*.parquet' where log = $log order by episode")
        same(path, "episodes", episodes, [(e["name"], e["kind"], e["tokens"], e["kept_at"][4]) for e in report["graph"]["episodes"]])
        edges = rows("select depends_on, act from 'dependencies/*.parquet' where log = $log and is_declared order by all")
        same(path, "edges", edges, sorted(tuple(edge) for edge in report["graph"]["edges"]))
        losses = rows("select first_turn, tokens from 'losses/*.parquet' where log = $log order by all")
        same(path, "losses", losses, [(loss["from"], loss["tokens"]) for loss in report["history"]["losses"]])
        # A command starts in a fifth of a second, so it is asked of the logs that have something to say: without a compaction none can
        # be audited, and without a step nothing can be got again.
        n_compactions, n_steps = len(report["history"]["compactions"]), report["replay"]["n_steps_in_all"]
        same(path, "compactions", row["n_compactions"], n_compactions)
        same(path, "steps", row["n_steps"], n_steps)
        if n_steps == 0:
            same(path, "reacquisitions", row["n_reacquisitions"], 0)
        asked.append((key, path, n_compactions, n_steps, max(report["history"]["full"]) > SWEPT_FROM))

    def answers(one):
        key, path, n_compactions, n_steps, is_large = one
        stories = cwl("reacquisitions", path, *COUNTED, "--json")["stories"] if n_steps else []
        audits = cwl("compactions", path, *COUNTED, "--json")["compactions"] if n_compactions else []
        swept = None
        if is_large:
            swept = cwl("sweep", path, *COUNTED, "--policy", "cwl", "--budgets", "40k,80k", "--json")["points"]
            swept += cwl("sweep", path, *COUNTED, "--policy", "mask", "--set", "keep=3", "--budgets", "80k", "--json")["points"]
        return stories, audits, swept

    lints = {log["path"]: log for log in linted.result()["logs"]}
    assert len(lints) == len(logs), "every log is linted once"
    for (key, path, *_), (stories, audits, swept) in zip(asked, workers.map(answers, asked)):
        def rows(sql):
            return ask(database, sql.replace("$log", f"'{key}'"))[1]

        findings = rows("select code, says, coalesce(line, 0), coalesce(cost, 0) from 'findings/*.parquet' where log = $log order by all")
        same(path, "findings", findings, sorted((f["code"], f["message"], f["line"] or 0, f["cost"] or 0) for f in lints[path]["findings"]))
        reacquisitions = rows("select name, tokens, cause, again_turn from 'reacquisitions/*.parquet' where log = $log order by all")
        same(path, "reacquisitions", reacquisitions, sorted((s["name"], s["tokens"], s["cause"], s["again"]["turn"]) for s in stories))
        compactions = rows("select number, gone_tokens, needed_lost, again_tokens from 'compactions/*.parquet' where log = $log order by all")
        same(path, "compactions", compactions, [(a["number"], a["gone"]["tokens"], a["needed"]["n_lost"] if a["has_summary"] else None, a["again"]["tokens"]) for a in audits])
        if swept is not None:
            runs = rows("select budget, cost, recall, reacquired, n_steps from 'runs/*.parquet' where log = $log and (policy = 'cwl' or options = 'keep=3') order by policy, budget")
            same(path, "runs", runs, [(p["budget"], price_of(p["cost"]), p["recall"]["hit_per_mille"], p["recall"]["reacquired_tokens"], p["n_steps"]) for p in swept])
    assert sum(swept for *_, swept in asked) >= 3, "some samples are large enough to be swept"
    return len(logs), n_compared


def main():
    runs = ["--runs", "cwl,mask,none@40k,80k", "--runs", "mask:keep=3@80k"]
    hashed = make("hashed", *runs)
    plain = make("plain", *runs, "--with-texts", "--no-redact", "--i-know")
    assert hashed["tables"] == plain["tables"], "texts change no row"
    os.chdir(FOLDER / "tables" / "hashed")
    database = duckdb.connect()
    page, n_asked = ask_all(database)
    if "CWL_GEN" in os.environ:
        PAGE.write_text(page)
    else:
        assert page == PAGE.read_text(), "the answers in docs/corpus.md are out of date: run `make answers`, look at the difference, and commit it"
    os.chdir(FOLDER / "tables" / "plain")
    n_logs, n_compared = compare(database, plain)
    print(f"{n_asked} questions, {n_compared} comparisons on {n_logs} logs: the tables say what the commands say")


main()
