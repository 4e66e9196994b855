"""Runs harnesses against the scripted model and compares what they sent with what the program shows.

    python3 -m lab [HARNESS[/SCENE] …] [--newest] [--install-only] [--compare-only] [--write] [--check]
"""
import argparse
import json
import os
from datetime import date

from .compare.session import compare
from .compare.table import live_rows_of, page, rows_of, worse_live_rows, worse_rows
from .drivers import DRIVERS
from .stage import alone
from .tools import HERE, NEWEST_ON, OUT, VERSIONS, install, installed_version, versions_of


def chosen(wanted):
    for harness, (driver, scenes) in DRIVERS.items():
        names = [scene for scene in scenes if not wanted or {harness, f"{harness}/{scene}"} & set(wanted)]
        if names:
            yield harness, driver, names


def main():
    parser = argparse.ArgumentParser(prog="lab")
    parser.add_argument("wanted", nargs="*", metavar="HARNESS[/SCENE]")
    parser.add_argument("--newest", action="store_true", help="today's versions instead of the pinned ones")
    parser.add_argument("--version", help="this version alone")
    parser.add_argument("--install-only", action="store_true")
    parser.add_argument("--compare-only", action="store_true", help="compare what an earlier run left")
    parser.add_argument("--write", action="store_true", help="write docs/wire.md")
    parser.add_argument("--check", action="store_true", help="fail if a row is worse than in docs/wire.md")
    options = parser.parse_args()
    plan = [(harness, version, driver, scene) for harness, driver, scenes in chosen(options.wanted)
            for version in ([options.version] if options.version else versions_of(harness, options.newest))
            for scene in scenes]
    if not options.compare_only and os.environ.get("LAB_ALONE") != "1":
        install("node", VERSIONS["node"]["pinned"][0])
        for harness, version in dict.fromkeys((harness, version) for harness, version, *_ in plan):
            install(harness, version)
        if options.install_only:
            return
        alone(os.sys.argv[1:])
    results = []
    for harness, version, driver, scene in plan:
        if not options.compare_only:
            print(f"{harness} {version} {scene}", flush=True)
            driver(version, scene)
        out = os.path.join(OUT, "runs", f"{harness}-{version}", scene)
        for result in compare(out):
            result["version_told"] = installed_version(harness, version)
            results.append(result)
            with open(os.path.join(out, f"compare-{result['who']}.json"), "w") as file:
                json.dump(result, file, indent=1, ensure_ascii=False)
            print("  " + summary(result), flush=True)
    text = page({name: row.get("name") for name, row in VERSIONS.items()}, results, versions_told(options.newest))
    kept = os.path.join(HERE, "..", "docs", "wire.md")
    if options.check:
        with open(kept) as file:
            before = file.read()
        worse = worse_rows(rows_of(before), rows_of(text)) + worse_live_rows(live_rows_of(before), live_rows_of(text))
        if worse:
            raise SystemExit("\n".join(["worse than docs/wire.md:", *worse]))
    path = kept if options.write else os.path.join(OUT, "wire.md")
    with open(path, "w") as file:
        file.write(text)
    print(f"written: {os.path.normpath(path)}")


def versions_told(are_newest):
    if are_newest:
        return f"The versions are the newest of {date.today()}."
    return f"The last version of each harness was its newest on {NEWEST_ON}."


def summary(result):
    if "error" in result:
        return f"{result['who']}: {result['error']}"
    live = {key: value for key, value in result.get("live", {}).items() if key != "differences"}
    return (f"{result['who']}: {result['requests']} requests, {result['equal']} of {result['blocks']} blocks equal, "
            f"{result['unlogged']} not in the log, {result['missing']} missing, {result['extra']} extra; without a turn {result['without_turn']}, "
            f"turns without a request {result['without_request']}; unknown {dict(result['unknown'])}; "
            + (f"live {live}; " if live else "") +
            f"system {dict(result['system'])}, tools {dict(result['tools'])}, proved {result['proved']}")


if __name__ == "__main__":
    main()
