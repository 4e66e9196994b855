from os import PathLike
from typing import Any, Iterable, Iterator, List, Literal, Mapping, Optional, Protocol, Sequence, Union, overload

_Budget = Union[int, str]
_Option = Union[int, bool, str]
_Texts = Literal["hashed", "redacted", "plain"]
_Form = Literal["pi", "anthropic", "openai", "openai-chat", "gemini"]
_Path = Union[str, PathLike[str]]

class _Arrow(Protocol):
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...

__version__: str

class CwlError(Exception):
    """An error in the words of the program."""

    code: str
    """Its kind: `missing`, `unknownFormat`, `badView`, …"""
    hint: Optional[str]
    """The way out, where there is one."""

class Table:
    """One table, as any reader of Arrow takes it, without a copy."""

    @property
    def name(self) -> str: ...
    @property
    def columns(self) -> List[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

class Tables:
    """All tables of some sessions, by their names."""

    @property
    def n_unread(self) -> int:
        """How many of the logs could not be read; each is a row of `sessions` with its problem."""
    def keys(self) -> List[str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, name: str) -> bool: ...
    def __getitem__(self, name: str) -> Table: ...

class Session:
    """A session as it was when it was opened. Answers are those of `cwl … --json`."""

    def about(self) -> Mapping[str, Any]:
        """The session's name, format, model, branches and problems."""
    def graph(self) -> Mapping[str, Any]:
        """The graph of episodes."""
    def replay(self, policy: str = "cwl", budget: Optional[_Budget] = None, **options: _Option) -> Mapping[str, Any]:
        """Plays a policy at a budget; without one it is what the harness itself used, else 80,000."""
    def measure(self, policy: str = "cwl", budget: Optional[_Budget] = None, **options: _Option) -> Mapping[str, Any]:
        """Cost, prompt cache, recall of references and tokens read again, under a policy at a budget."""
    @overload
    def context(
        self, turn: Optional[int] = None, step: Optional[int] = None, as_: Literal["text"] = ..., *, policy: str = "cwl", budget: Optional[_Budget] = None, **options: _Option
    ) -> str: ...
    @overload
    def context(
        self, turn: Optional[int] = None, step: Optional[int] = None, as_: Literal["list"] = ..., *, policy: str = "cwl", budget: Optional[_Budget] = None, **options: _Option
    ) -> Mapping[str, Any]: ...
    @overload
    def context(
        self, turn: Optional[int] = None, step: Optional[int] = None, as_: _Form = "anthropic", *, policy: str = "cwl", budget: Optional[_Budget] = None, **options: _Option
    ) -> Any:
        """The context before the request of a turn, with so many steps taken; without a turn it is now, without a step all."""
    def findings(self, policy: str = "cwl", budget: Optional[_Budget] = None, **options: _Option) -> List[Mapping[str, Any]]:
        """The findings of `cwl lint`."""
    def tables(
        self,
        *,
        policy: str = "cwl",
        budget: Optional[_Budget] = None,
        runs: Sequence[str] = (),
        texts: _Texts = "hashed",
        key: Optional[bytes] = None,
        **options: _Option,
    ) -> Tables:
        """The rows of this session. `runs` are spelled as in `cwl corpus --runs`; `key` is that of the hashes, 32 bytes."""

def open(
    path: _Path,
    *,
    format: Optional[str] = None,
    annotation: str = "auto",
    tokenizer: str = "provider",
    overhead: str = "auto",
    window: Optional[int] = None,
    branch: Optional[str] = None,
) -> Session:
    """Opens a log, a session of a database (`DATABASE#ID`), or a URL that fsspec reads."""

def tables(
    paths: Iterable[_Path],
    *,
    policy: str = "cwl",
    budget: Optional[_Budget] = None,
    runs: Sequence[str] = (),
    texts: _Texts = "hashed",
    key: Optional[bytes] = None,
    **options: _Option,
) -> Tables:
    """Makes the tables of some logs, in their order; one that cannot be read is a row of `sessions` with its problem."""

def trial(runs: _Arrow, turns: _Arrow, sessions: _Arrow, page: Optional[_Path] = None) -> Mapping[str, Any]:
    """Compares the policies in rows of these three tables as `cwl trial --json` does; `page` is a file for its page.

    The rows may come in any order and from any machines that had the same key. `runs` must have the policy `none`.
    """

def sessions(paths: Sequence[_Path] = ()) -> List[str]:
    """Lists the sessions that some logs, folders and databases name; without a path those of the agents on this machine."""

def policies() -> List[Mapping[str, Any]]:
    """Lists the policies with their options."""
