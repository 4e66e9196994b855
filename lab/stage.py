"""What all drivers share: a network with loopback only, a project, the scripted model, an empty home and environment."""
import glob
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import urllib.request
import zlib

from .tools import HERE, OUT, search_path

CWL = os.path.abspath(os.environ.get("CWL", os.path.join(HERE, "..", "target", "debug", "cwl")))
PORT = 8123
MODEL = f"http://127.0.0.1:{PORT}"
# The harnesses ask `cwl proxy`, which asks the model.
PROXIED = os.environ.get("LAB_PROXIED")
# Seconds before each answer of the model.
PACE = os.environ.get("LAB_PACE", "0")
PROXY_PORT = 8124
URL = f"http://127.0.0.1:{PROXY_PORT}" if PROXIED else MODEL
# Under a policy a witness stands before the proxy and keeps the bodies as they came.
WITNESS_PORT = 8125
WITNESS = f"http://127.0.0.1:{WITNESS_PORT}"
FILES = {
    "alpha.py": "def alpha(n):\n    \"\"\"Doubles.\"\"\"\n    return 2 * n\n",
    "beta.py": "from alpha import alpha\n\nOFFSET = 7\n\n\ndef beta(n):\n    return alpha(n) + OFFSET\n",
    "notes.md": "# Notes\n\n- beta(3) shall be 13 – «for now» ✓\n- <b>not html</b> & more\n",
    "fail.sh": "echo checking beta; echo 'FAILED: expected 13, got 14'; exit 1\n",
    "AGENTS.md": "Lab rule: say what you did.\n",
    "CLAUDE.md": "Lab rule: say what you did (Claude).\n",
    "GEMINI.md": "Lab rule: say what you did (Gemini).\n",
    "QWEN.md": "Lab rule: say what you did (Qwen).\n",
}
PROMPTS = {
    "explore": "Please look at alpha.py and beta.py. [[plan:explore]]",
    "change": "Now change OFFSET to 8 and run the check. [[plan:change]]",
    "mark": "Mark your work with the delimiter and set OFFSET to 9. [[plan:mark]]",
    "agent": "Let a subagent look at OFFSET. [[plan:agent]]",
    "agent1": "Let a subagent look at OFFSET. [[plan:agent1]]",
    "short": "Is anything left? [[plan:short]]",
    "after": "Look at alpha.py once more. [[plan:after]]",
    "image": "Look at the picture pixel.png. [[plan:image]]",
    "fault429": "Go on. [[plan:fault429]]",
    "fault529": "Go on again. [[plan:fault529]]",
    "overflow": "Read everything. [[plan:overflow]]",
    "abort": "Tell me a long story. [[plan:abort]]",
}

PROMPTS.update({f"live-{n}": f"Do part {n} of the work. [[plan:live-{n}]]" for n in (*range(1, 6), "all")})


def png(width, height):
    """A picture of one colour."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\x20\x80\xc0" * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def alone(arguments):
    """Starts the lab again in a network namespace that has nothing but loopback."""
    script = 'ip link set lo up; exec "$@"'
    command = ["unshare", "-rn", "sh", "-c", script, "sh", sys.executable, "-m", "lab", *arguments]
    os.execvpe("unshare", command, {**os.environ, "LAB_ALONE": "1", "PYTHONPATH": os.path.dirname(HERE)})


class Stage:
    """One scene of one harness: prompts, one after the other, in one session.

    With `held`, a policy and τ, the harness asks WITNESS, and the proxy behind that holds it at τ.
    """

    def __init__(self, harness, version, scene, env, model_options=(), held=None):
        self.harness, self.version, self.scene, self.held = harness, version, scene, held
        self.out = os.path.join(OUT, "runs", f"{harness}-{version}", scene)
        shutil.rmtree(self.out, ignore_errors=True)
        self.home, self.project = os.path.join(self.out, "home"), os.path.join(self.out, "project")
        os.makedirs(self.home)
        os.makedirs(self.project)
        for name, text in FILES.items():
            with open(os.path.join(self.project, name), "w") as file:
                file.write(text)
        with open(os.path.join(self.project, "pixel.png"), "wb") as file:
            file.write(png(24, 24))
        self.env = {"PATH": search_path(harness, version), "HOME": self.home, "TERM": "xterm-256color",
                    "LANG": "C.UTF-8", "NO_COLOR": "1", "NO_PROXY": "127.0.0.1",
                    "CWL_DATA_DIR": os.path.join(self.home, "cwl-data"), **env}
        author = ["-c", "user.name=lab", "-c", "user.email=lab@localhost"]
        for command in (["init", "-q", "-b", "main"], ["add", "."], [*author, "commit", "-qm", "start"]):
            subprocess.run(["git", *command], cwd=self.project, env=self.env, check=True)
        self.steps = []
        command = [sys.executable, "-m", "lab.model.server", "--port", str(PORT), "--out", self.out,
                   "--root", self.project, "--delay", PACE, *model_options]
        if held:
            command += ["--witness", str(WITNESS_PORT), str(PROXY_PORT)]
        self.model = subprocess.Popen(command, cwd=os.path.dirname(HERE), stderr=subprocess.STDOUT,
                                      stdout=open(os.path.join(self.out, "model.log"), "w"))
        if not wait_for(is_listening, 10):
            raise SystemExit(f"the model does not listen; see {self.out}/model.log")
        self.proxy = self.start_proxy() if PROXIED or held else None

    def start_proxy(self):
        """Starts a proxy, which keeps what it hands on; without a policy that is all as it came."""
        command = [CWL, "proxy", "--port", str(PROXY_PORT), "--upstream", MODEL, "--capture", os.path.join(self.out, "proxied")]
        if self.held:
            command += ["--policy", self.held[0], "--budget", self.held[1]]
        proxy = subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, stderr=open(os.path.join(self.out, "proxy.log"), "w"))
        if not proxy.stdout.readline():
            raise SystemExit(f"the proxy does not listen; see {self.out}/proxy.log")
        return proxy

    def write(self, path, content):
        """Writes a file below the home; what is no text is written as JSON."""
        path = os.path.join(self.home, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def first_output(self):
        with open(os.path.join(self.out, "00.stdout")) as file:
            return file.readlines()

    def run(self, command, is_aborted=False, timeout=60):
        """Runs the harness for one prompt; an aborted one is interrupted in the middle of an answer."""
        number, since = len(self.steps), time.time()
        path = os.path.join(self.out, f"{number:02d}")
        with open(path + ".stdout", "wb") as out, open(path + ".stderr", "wb") as err:
            process = subprocess.Popen(command, cwd=self.project, env=self.env, stdout=out, stderr=err,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
            ending = interrupt(process, self.out, timeout) if is_aborted else wait(process, timeout)
        step = {"command": command, "code": process.returncode, "ending": ending, "seconds": round(time.time() - since, 2)}
        self.steps.append(step)
        print(f"  {self.harness} {self.version} {self.scene} {number}: {ending}, code {process.returncode}, "
              f"{step['seconds']} s, {len(os.listdir(self.out + '/bodies'))} requests so far", flush=True)
        if process.returncode and not is_aborted:
            with open(path + ".stderr", errors="replace") as file:
                print("    " + file.read()[-600:].replace("\n", "\n    "))

    def find(self, pattern):
        return sorted(glob.glob(os.path.join(self.home, pattern), recursive=True), key=os.path.getmtime)

    def end(self, logs, roles=None):
        if self.proxy:
            self.proxy.send_signal(signal.SIGINT)
            self.proxy.wait(10)
            check_proxied(self.out, logs)
        self.model.terminate()
        self.model.wait(5)
        with open(os.path.join(self.out, "run.json"), "w") as file:
            json.dump({"harness": self.harness, "version": self.version, "scene": self.scene, "steps": self.steps,
                       "logs": logs, "roles": roles or {}, "held": self.held}, file, indent=1)


def check_proxied(out, logs):
    """Compares the bodies that the proxy kept with those that the model got, and says how many are of a turn of a log."""
    bodies = [json.load(open(path)) for path in sorted(glob.glob(os.path.join(out, "bodies", "*.json")))]
    got = [body["body"].encode() for body in bodies if "body" in body]
    with open(os.path.join(out, "proxied", "captured.jsonl")) as file:
        lines = [json.loads(line) for line in file]
    kept = [open(os.path.join(out, "proxied", line["request_file"]), "rb").read() for line in lines if line["request_file"]]
    n_equal = sum(body in got for body in kept)
    print(f"    proxy: {n_equal} of {len(kept)} bodies that it kept are, byte for byte, among the {len(got)} that the model got")
    for log in logs:
        told = subprocess.run([CWL, "captured", log, "--bodies", os.path.join(out, "proxied")], capture_output=True, text=True)
        print(f"    proxy: {os.path.basename(log)}: {(told.stdout or told.stderr).splitlines()[0]}", flush=True)


def is_listening():
    try:
        urllib.request.urlopen(urllib.request.Request(MODEL, method="HEAD"), timeout=1).close()
        return True
    except OSError:
        return False


def wait_for(condition, seconds):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def wait(process, timeout):
    try:
        process.wait(timeout)
        return "ended"
    except subprocess.TimeoutExpired:
        end_group(process, signal.SIGKILL)
        process.wait()
        return "timeout"


def interrupt(process, out, timeout):
    """Presses Ctrl-C as soon as the model hangs in the middle of an answer."""
    hangs = os.path.join(out, "hung")
    found = wait_for(lambda: os.path.exists(hangs) or process.poll() is not None, timeout)
    if not found or process.poll() is not None:
        return wait(process, 1) + ", nothing hung"
    os.remove(hangs)
    time.sleep(1)  # the harness draws what it has
    os.kill(process.pid, signal.SIGINT)
    try:
        process.wait(8)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGTERM)
        wait(process, 8)
    end_group(process, signal.SIGTERM)
    return "interrupted"


def end_group(process, by):
    """Ends what a harness leaves behind, in the process group that was begun for it."""
    try:
        os.killpg(process.pid, by)
    except ProcessLookupError:
        pass
