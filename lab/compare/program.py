"""The program, asked about a log or the body of a request."""
import json
import os
import subprocess

from ..stage import CWL
from .blocks import apart, blocks_of, parts_of

PROVIDERS = {"anthropic": "anthropic", "responses": "openai", "chat": "openai-chat", "gemini": "gemini"}
FORMATS = {"anthropic": "anthropic", "responses": "openai-responses", "chat": "openai-chat", "gemini": "gemini"}


def cwl(*arguments, options=("--tokenizer", "chars4", "--policy", "none")):
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("LAB_HOME", "/nonexistent"), "NO_COLOR": "1", "LANG": "C.UTF-8"}
    done = subprocess.run([CWL, *arguments, *options], env=env, capture_output=True)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def context(*arguments, options):
    """The answer of `cwl context` as JSON; a refusal ends the run."""
    code, text, err = cwl("context", *arguments, options=options)
    if code:
        raise SystemExit(err)
    return json.loads(text)


def policy_blocks(dialect, *arguments, options):
    """The blocks of a request as the program says them under a policy."""
    return blocks_in(dialect, context(*arguments, "--as", PROVIDERS[dialect], options=options))


def blocks_in(dialect, body):
    return apart(blocks_of(dialect, parts_of(dialect, body)[1]))
