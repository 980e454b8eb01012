"""What servers have taught Sori of how their models want to be asked, in this process and in earlier ones.

A refused request costs the user a round trip; without a memory each start pays for it anew. What is remembered is
believed until it is refused itself: then the model is asked as if nothing were known, and what is learnt of that takes
its place. It is no truth for ever either: the memory forgets what is old (``ModelMemory``), and what another version
of the SDK has learnt is not used.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

from assistant.llm.transport.endpoint import Endpoint

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MAX_TOKENS = "max_tokens"
"""What a dialect does not say and a server tells: the model's longest answer."""

_ABOUT_FORM = re.compile(
    r"temperature|think|effort|\brole\b|developer|system|max_(completion_)?tokens|stream_options|signature|cache_control"
    r"|output_config|budget|display",
    re.IGNORECASE,
)
"""Words of a refusal that may be about how a model was asked; others are about what."""


class ModelMemory(Protocol):
    """Keeps what was learnt of models, each with its date, for a while."""

    def recall(self, api: str, server: str, model: str) -> Mapping[str, Any] | None:
        """What was learnt of a model at a server, unless it is too old."""
        ...

    def learn(self, api: str, server: str, model: str, facts: Mapping[str, Any]) -> None:
        """Keep this of a model from now on, in place of what was kept; without facts nothing. Returns at once."""
        ...


@dataclass(slots=True)
class _Known:
    dialect: Any
    max_tokens: int | None
    recalled: bool


_Dialect = TypeVar("_Dialect", bound="DataclassInstance")


class LearntDialects(Generic[_Dialect]):
    """How each model at each server is asked.

    Args:
        api: the API and the version of the SDK that speaks it.
        kind: the dialect's type.
        memory: keeps it for the next process; ``None`` forgets it with this one.
    """

    def __init__(self, api: str, kind: type[_Dialect], memory: ModelMemory | None = None) -> None:
        self._api = api
        self._kind = kind
        self._memory = memory
        self._known: dict[tuple[str, str], _Known] = {}

    def dialect(self, endpoint: Endpoint, model: str, default: _Dialect) -> _Dialect:
        """How the model is asked; ``default`` where nothing was learnt."""
        dialect: _Dialect | None = self._of(endpoint, model).dialect
        return default if dialect is None else dialect

    def max_tokens(self, endpoint: Endpoint, model: str) -> int | None:
        """The model's longest answer, where the server has told it."""
        return self._of(endpoint, model).max_tokens

    def learn(self, endpoint: Endpoint, model: str, dialect: _Dialect) -> None:
        """The server has taken a request in this dialect."""
        known = self._of(endpoint, model)
        known.dialect, known.recalled = dialect, False
        self._keep(endpoint, model, known)

    def learn_max_tokens(self, endpoint: Endpoint, model: str, longest: int) -> None:
        """The server has told the model's longest answer."""
        known = self._of(endpoint, model)
        known.max_tokens = longest
        self._keep(endpoint, model, known)

    def doubtful(self, endpoint: Endpoint, model: str, words: str) -> bool:
        """Whether a refusal in these words may mean that what an earlier process learnt does not hold any more.

        Says so once; from then on the model is as if nothing had been learnt.
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
        """Where it is kept; nowhere for a server that is a part of Sori, which has another port at each start."""
        return None if endpoint.ledger is None else self._memory


def _plain(dialect: "DataclassInstance") -> dict[str, Any]:
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in asdict(dialect).items()}


def _restored(kind: type[_Dialect], facts: Mapping[str, Any]) -> _Dialect | None:
    """The dialect that ``_plain`` has made these facts of; ``None`` when they are of another make."""
    hints = get_type_hints(kind)
    if {each.name for each in fields(kind)} != facts.keys():
        return None
    values = {each.name: _value(hints[each.name], facts[each.name]) for each in fields(kind)}
    return None if None in values.values() else kind(**values)


def _value(hint: Any, value: Any) -> Any:
    """What a field of this type may hold; ``None`` for what it may not."""
    if get_origin(hint) is frozenset:
        (inner,) = get_args(hint)
        whole = isinstance(value, list) and all(_value(inner, each) is not None for each in value)
        return frozenset(value) if whole else None
    if get_origin(hint) is Literal:
        return value if isinstance(value, str) and value in get_args(hint) else None
    return value if isinstance(value, hint) else None
