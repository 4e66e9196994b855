"""The harnesses, installed with npm or pip: a folder for each of them and each version."""
import json
import os
import subprocess
import sys
from glob import glob
from importlib import metadata

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = json.load(open(os.path.join(HERE, "versions.json")))
NEWEST_ON = VERSIONS.pop("newest_on")
OUT = os.path.abspath(os.environ.get("LAB_OUT") or os.path.join(HERE, "..", "target", "lab"))
TOOLS = os.path.abspath(os.environ.get("LAB_TOOLS") or os.path.join(OUT, "tools"))


def versions_of(harness, newest):
    return ["newest"] if newest else VERSIONS[harness]["pinned"]


def folder_of(harness, version):
    return os.path.join(TOOLS, f"{harness}-{version}")


def install(harness, version):
    """Installs a version where it is not there yet; today's newest is kept until its folder is removed."""
    folder = folder_of(harness, version)
    if os.path.exists(os.path.join(folder, ".done")):
        return
    os.makedirs(folder, exist_ok=True)
    package = VERSIONS[harness]["package"]
    print(f"installing {package} {version}", flush=True)
    if is_python(harness):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        wanted = package if version == "newest" else f"{package}=={version}"
        command = [os.path.join(folder, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", wanted]
    else:
        with open(os.path.join(folder, "package.json"), "w") as file:
            file.write('{"private": true}')
        wanted = package + "@" + ("latest" if version == "newest" else version)
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", wanted]
    subprocess.run(command, cwd=folder, check=True)
    open(os.path.join(folder, ".done"), "w").close()


def is_python(harness):
    return VERSIONS[harness].get("with") == "pip"


def installed_version(harness, version):
    folder, package = folder_of(harness, version), VERSIONS[harness]["package"]
    if is_python(harness):
        places = glob(os.path.join(folder, "lib", "python*", "site-packages"))
        return next(iter(metadata.distributions(name=package, path=places))).version
    path = os.path.join(folder, "node_modules", package, "package.json")
    return json.load(open(path))["version"]


def search_path(harness, version):
    """The folders in which programs are looked for: the harness first, then the newer Node."""
    own = os.path.join(folder_of(harness, version), *(["bin"] if is_python(harness) else ["node_modules", ".bin"]))
    node = os.path.join(folder_of("node", VERSIONS["node"]["pinned"][0]), "node_modules", "node", "bin")
    return f"{own}:{node}:{os.environ['PATH']}"
