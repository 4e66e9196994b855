"""Runs a harness of the lab under a live policy, slowly, and opens its session in a program while it runs.

    python3 -m lab.demo HARNESS [--pace SECONDS] -- PROGRAM…      PROGRAM gets the log as its last argument
"""
import argparse
import glob
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from .drivers import HELD, LIVE, LIVE_OPENCODE, LOGS, held
from .tools import HERE, TOOLS, VERSIONS

SETTINGS = {"pi": LIVE, "opencode": LIVE_OPENCODE, **HELD}


def main():
    parser = argparse.ArgumentParser(prog="lab.demo")
    parser.add_argument("harness", choices=sorted(SETTINGS))
    parser.add_argument("--pace", default="2", help="seconds before each answer of the model")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    # The path of a control socket has at most 103 bytes, so the folder is a short one.
    folder = tempfile.mkdtemp(prefix="cwl-")
    env = {**os.environ, "LAB_OUT": folder, "LAB_TOOLS": TOOLS, "LAB_PACE": options.pace, "PYTHONPATH": os.path.dirname(HERE)}
    version = VERSIONS[options.harness]["pinned"][-1]
    command = [sys.executable, "-m", "lab", f"{options.harness}/live", "--version", version]
    subprocess.run([*command, "--install-only"], env=env, check=True)
    lab = subprocess.Popen(command, env=env, start_new_session=True)
    try:
        home = os.path.join(folder, "runs", f"{options.harness}-{version}", "live", "home")
        log = first_log(options.harness, home, lab)
        name = options.harness
        policy, budget = held(name, version, "live")[0] if name in HELD else SETTINGS[name]["live"]
        print(f"\n{options.harness} works under {policy} at {budget}: {log}\n", flush=True)
        viewer_env = {**os.environ, "CWL_DATA_DIR": os.path.join(home, "cwl-data")}
        subprocess.run([*options.program, log], env=viewer_env, check=False)
    finally:
        if lab.poll() is None:
            os.killpg(lab.pid, signal.SIGKILL)
            lab.wait()
        end = time.time() + 5
        # The harness may still write its last files.
        while os.path.exists(folder) and time.time() < end:
            shutil.rmtree(folder, ignore_errors=True)


def first_log(harness, home, lab):
    """The session of the run, as soon as it has a first reply."""
    while lab.poll() is None:
        found = sorted(path for path in glob.glob(os.path.join(home, LOGS[harness]), recursive=True) if os.path.isfile(path))
        if found and harness != "opencode":
            return found[0]
        if found:
            session = first_session(found[0])
            if session:
                return f"{found[0]}#{session}"
        time.sleep(0.1)
    raise SystemExit("the agent ended before it had a session")


def first_session(database):
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            row = connection.execute("select id from session order by time_created limit 1").fetchone()
            return row and row[0]
    except sqlite3.Error:
        return None


if __name__ == "__main__":
    main()
