"""Paths in object storage: fetched through fsspec, which the user installs with the store's own package."""

import os
import shutil
import tempfile
import weakref
from pathlib import Path

from . import _cwl


def _is_remote(path):
    return isinstance(path, str) and "://" in path


def _fetched(url, folder):
    """Copies what a URL names into a folder, and returns the copy."""
    try:
        import fsspec
    except ImportError as error:
        raise _cwl.CwlError(f"a path in object storage needs fsspec; install it with the package of the store: {url}") from error
    # Only the end of the name may matter to a reader.
    copy = Path(folder) / f"log{Path(url).suffix}"
    with fsspec.open(url, "rb") as source, copy.open("wb") as target:
        shutil.copyfileobj(source, target)
    return copy


def open(path, **view):
    """Opens a session; a URL is fetched for as long as the session lives."""
    if not _is_remote(path):
        return _cwl.open(path, **view)
    folder = tempfile.TemporaryDirectory(prefix="cwl-")
    try:
        session = _cwl.open(_fetched(path, folder.name), **view)
    except BaseException:
        folder.cleanup()
        raise
    weakref.finalize(session, folder.cleanup)
    return session


def tables(paths, **asked):
    """Makes the tables of some logs; a URL is fetched for the time of the call, and names its rows."""
    with tempfile.TemporaryDirectory(prefix="cwl-") as base:
        logs = []
        for path in paths:
            place = path
            if _is_remote(path):
                folder = Path(base) / str(len(logs))
                folder.mkdir()
                place = _fetched(path, folder)
            logs.append((os.fspath(path), place))
        return _cwl.tables(logs, **asked)
