"""Reads logs of coding agents, replays policies of eviction over them, and gives tables of many sessions as Arrow.

The answers are those of the program `cwl` with `--json`; its book says what they mean.
"""

from ._cwl import CwlError, Session, Table, Tables, __version__, policies, sessions, trial
from ._remote import open, tables

__all__ = ["CwlError", "Session", "Table", "Tables", "__version__", "open", "policies", "sessions", "tables", "trial"]
