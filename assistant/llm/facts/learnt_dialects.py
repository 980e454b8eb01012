"""Dialects of models as learnt from servers, in this process and in earlier ones.

A refused request costs the user a round trip, and without a memory every start would pay it again. A remembered dialect
is used until the server refuses it. Then the default dialect is used, and whatever is learnt next replaces the
remembered one. The memory also drops old entries (``ModelMemory``). An entry of another SDK version is not used.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

from assistant.llm.transport.endpoint import Endpoint

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MAX_TOKENS = "max_tokens"
"""Name of the one stored fact that is not part of a dialect: the model's maximum of output tokens."""

_ABOUT_FORM = re.compile(
    r"temperature|think|effort|\brole\b|developer|system|max_(completion_)?tokens|stream_options|signature|cache_control"
    r"|output_config|budget|display|response_?(format|schema|mime)|json|tool_choice",
    re.IGNORECASE,
)
"""Words of a refusal that may be about the form of the request, not about its content."""


class ModelMemory(Protocol):
    """Stores what was learnt of models, with dates, for a limited time."""

    def recall(self, api: str, server: str, model: str) -> Mapping[str, Any] | None:
        """The stored facts of a model at a server, or ``None`` if they are missing or too old."""
        ...

    def learn(self, api: str, server: str, model: str, facts: Mapping[str, Any]) -> None:
        """Replace the stored facts of a model; empty facts delete them. Returns at once."""
        ...


@dataclass(slots=True)
class _Known:
    dialect: Any
    max_tokens: int | None
    recalled: bool


_Dialect = TypeVar("_Dialect", bound="DataclassInstance")


class LearntDialects(Generic[_Dialect]):
    """The current dialect of each model at each server.

    Args:
        api: name of the API and version of its SDK.
        kind: the dialect's type.
        memory: stores dialects for the next process; ``None`` keeps them in this process only.
    """

    def __init__(self, api: str, kind: type[_Dialect], memory: ModelMemory | None = None) -> None:
        self._api = api
        self._kind = kind
        self._memory = memory
        self._known: dict[tuple[str, str], _Known] = {}

    def dialect(self, endpoint: Endpoint, model: str, default: _Dialect) -> _Dialect:
        """The model's dialect, or ``default`` when nothing was learnt."""
        dialect: _Dialect | None = self._of(endpoint, model).dialect
        return default if dialect is None else dialect

    def max_tokens(self, endpoint: Endpoint, model: str) -> int | None:
        """The model's maximum of output tokens, if the server has reported it."""
        return self._of(endpoint, model).max_tokens

    def learn(self, endpoint: Endpoint, model: str, dialect: _Dialect) -> None:
        """Store the dialect of a request that the server accepted."""
        known = self._of(endpoint, model)
        known.dialect, known.recalled = dialect, False
        self._keep(endpoint, model, known)

    def learn_max_tokens(self, endpoint: Endpoint, model: str, longest: int) -> None:
        """Store the maximum of output tokens that the server reported."""
        known = self._of(endpoint, model)
        known.max_tokens = longest
        self._keep(endpoint, model, known)

    def doubtful(self, endpoint: Endpoint, model: str, words: str) -> bool:
        """Whether a refusal with these words may mean that a dialect of an earlier process is outdated.

        It returns true once per model, and then forgets everything about the model.
        """
        known = self._of(endpoint, model)
        if not known.recalled or not _ABOUT_FORM.search(words):
            return False
        known.dialect, known.max_tokens, known.recalled = None, None, False
        self._keep(endpoint, model, known)
        return True

    def _of(self, endpoint: Endpoint, model: str) -> _Known:
        key = endpoint.base_url, model
        if key not in self._known:
            self._known[key] = self._recalled(endpoint, model)
        return self._known[key]

    def _recalled(self, endpoint: Endpoint, model: str) -> _Known:
        memory = self._memory_of(endpoint)
        facts = dict((memory and memory.recall(self._api, endpoint.base_url, model)) or {})
        longest = facts.pop(MAX_TOKENS, None)
        dialect = _restored(self._kind, facts) if facts else None
        longest = longest if isinstance(longest, int) and longest > 0 else None
        return _Known(dialect, longest, recalled=dialect is not None or longest is not None)

    def _keep(self, endpoint: Endpoint, model: str, known: _Known) -> None:
        memory = self._memory_of(endpoint)
        if memory is None:
            return
        facts = {} if known.dialect is None else _plain(known.dialect)
        if known.max_tokens is not None:
            facts[MAX_TOKENS] = known.max_tokens
        memory.learn(self._api, endpoint.base_url, model, facts)

    def _memory_of(self, endpoint: Endpoint) -> ModelMemory | None:
        """The store, or ``None`` for the embedded server, whose port changes at each start."""
        return None if endpoint.ledger is None else self._memory


def _plain(dialect: "DataclassInstance") -> dict[str, Any]:
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in asdict(dialect).items()}


def _restored(kind: type[_Dialect], facts: Mapping[str, Any]) -> _Dialect | None:
    """The dialect from the output of ``_plain``, or ``None`` when fields or values do not match its type."""
    hints = get_type_hints(kind)
    if {each.name for each in fields(kind)} != facts.keys():
        return None
    values = {each.name: _value(hints[each.name], facts[each.name]) for each in fields(kind)}
    return None if None in values.values() else kind(**values)


def _value(hint: Any, value: Any) -> Any:
    """The value for a field of this type, or ``None`` when the type does not match."""
    if get_origin(hint) is frozenset:
        (inner,) = get_args(hint)
        whole = isinstance(value, list) and all(_value(inner, each) is not None for each in value)
        return frozenset(value) if whole else None
    if get_origin(hint) is Literal:
        return value if isinstance(value, str) and value in get_args(hint) else None
    return value if isinstance(value, hint) else None
