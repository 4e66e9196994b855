"""Rows with a note of each log in a folder that all workers see, so that a test can end a worker midway."""

import os
import uuid
from pathlib import Path

import psutil


class Watched:
    def __init__(self, rows_of, folder):
        self.rows_of, self.folder = rows_of, Path(folder)
        self.folder.mkdir(exist_ok=True)

    def schema(self):
        return self.rows_of.schema()

    def __call__(self, paths):
        rows = self.rows_of(paths)
        if paths:
            # The ancestors of a worker, the nearest first: one of them is the process that an engine calls its node or executor.
            ancestors = " ".join(str(one.pid) for one in psutil.Process(os.getpid()).parents())
            unfinished = self.folder / f".{uuid.uuid4().hex}"
            unfinished.write_text("\n".join([ancestors, *map(str, paths)]))
            unfinished.rename(self.folder / unfinished.name[1:])
        return rows

    def done(self):
        """Returns (ancestors, paths) of all batches that are done, those that were done twice among them."""
        notes = [one.read_text().split("\n") for one in self.folder.iterdir() if not one.name.startswith(".")]
        return [([int(pid) for pid in ancestors.split()], paths) for ancestors, *paths in notes]
