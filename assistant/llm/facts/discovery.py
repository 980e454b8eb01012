"""Finds language model servers that other programs run on this machine (P-08).

An open port proves nothing. Each address gets a request in the API of every known server, and counts only if one of
these programs answers. The requests read lists; none loads a model.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from assistant.core.records.egress import Egress, EgressLedger
from assistant.llm.facts.chat_models import is_chat_model

if TYPE_CHECKING:  # Its import takes 0.05 s, and few starts look for servers.
    import httpx2

PORTS = (11434, 1234, 8080, 1337)
"""Default ports of Ollama, LM Studio, llama.cpp and Jan."""

NAMES = ("ollama", "lmstudio", "llamacpp", "jan")
"""Names of the known servers in Sori."""

LIMIT_S = 0.3
"""Seconds for one address, from the first request to the last."""

_HOSTS = ("127.0.0.1", "[::1]")
"""``localhost`` may be either, and some servers listen on only one of them."""

_LONGEST_ANSWER = 4_000_000
"""Bytes. The longest valid response is Ollama's description of a model, with its licence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModel:
    """A model that a server offers.

    Attributes:
        name: the model's name in requests.
        context_tokens: its context size according to the server, ``None`` when unknown.
        images: whether it can see images, ``None`` when unknown.
        tools: whether it can call tools, ``None`` when unknown.
    """

    name: str
    context_tokens: int | None = None
    images: bool | None = None
    tools: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundServer:
    """A server that answered.

    Attributes:
        name: short name of the program, usable as a provider's name.
        title: the program's own name.
        base_url: address for a provider of kind ``local``.
        models: its chat models; embeddings and the like are left out.
        needs_key: whether it refuses its list without an API key.
    """

    name: str
    title: str
    base_url: str
    models: tuple[FoundModel, ...] = ()
    needs_key: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    """A response: its status, and its body as JSON, ``None`` where it is not JSON."""

    status: int
    server: str
    body: Any


class _Place:
    """An address to ask, and the time that is left for it.

    Args:
        client: sends the requests.
        ledger: records every request before it is sent.
        origin: scheme, host and port.
        left_s: seconds for all requests; recording them does not count.
    """

    def __init__(self, client: "httpx2.AsyncClient", ledger: EgressLedger, origin: str, left_s: float) -> None:
        self._client = client
        self._ledger = ledger
        self._left_s = left_s
        self.origin = origin

    async def ask(self, *questions: tuple[str, Mapping[str, str] | None]) -> list[_Answer | None]:
        """The answers to several requests, each a path and the JSON to post; ``None`` for a request that failed."""
        for _, posted in questions:
            size = len(json.dumps(posted)) if posted is not None else 0
            await self._ledger.record(Egress(destination=self.origin, local=True, purpose="discovery", size=size))
        began = asyncio.get_running_loop().time()
        answers = await asyncio.gather(*(self._one(path, posted) for path, posted in questions))
        self._left_s -= asyncio.get_running_loop().time() - began
        return answers

    async def _one(self, path: str, posted: Mapping[str, str] | None) -> _Answer | None:
        import httpx2

        method = "GET" if posted is None else "POST"
        content = b""
        try:
            async with (
                asyncio.timeout(max(0.0, self._left_s)),
                self._client.stream(method, f"{self.origin}{path}", json=posted) as response,
            ):
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > _LONGEST_ANSWER:
                        return None
        except (TimeoutError, httpx2.HTTPError, httpx2.StreamError):
            return None
        try:
            body = json.loads(content)
        except ValueError:
            body = None
        return _Answer(response.status_code, response.headers.get("server", ""), body)


async def find_servers(
    ledger: EgressLedger, *, ports: Sequence[int] = PORTS, limit_s: float | None = None
) -> tuple[FoundServer, ...]:
    """The servers on this machine, in the order of ``ports``. All addresses are asked at once.

    Args:
        ledger: records every request before it is sent. A closed port gets no request.
        ports: the ports to look at.
        limit_s: seconds for one address; ``LIMIT_S`` by default.

    Raises:
        StorageError: the ledger cannot be written; no request was sent.
    """
    import httpx2

    limit_s = LIMIT_S if limit_s is None else limit_s
    # A proxy from the environment cannot reach loopback.
    async with httpx2.AsyncClient(trust_env=False, timeout=None, follow_redirects=False) as client:
        found = await asyncio.gather(*(_look(client, ledger, host, port, limit_s) for port in ports for host in _HOSTS))
    servers: dict[tuple[str, str, tuple[str, ...]], FoundServer] = {}
    for server in filter(None, found):
        # A program that listens on both addresses is one server.
        identity = (server.name, server.base_url.rpartition(":")[2], tuple(model.name for model in server.models))
        servers.setdefault(identity, server)
    return tuple(servers.values())


async def _look(
    client: "httpx2.AsyncClient", ledger: EgressLedger, host: str, port: int, limit_s: float
) -> FoundServer | None:
    clock = asyncio.get_running_loop().time
    began = clock()
    if not await _is_open(host.strip("[]"), port, limit_s):
        return None
    place = _Place(client, ledger, f"http://{host}:{port}", limit_s - (clock() - began))
    answers = await place.ask(*((path, None) for path, _ in _PROGRAMS))
    for answer, (_, recognised) in zip(answers, _PROGRAMS, strict=True):
        if answer is not None and (server := await recognised(place, answer)) is not None:
            return server
    return None


async def _is_open(host: str, port: int, limit_s: float) -> bool:
    try:
        async with asyncio.timeout(limit_s):
            _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True


# Each program: a request whose answer identifies it, and a function that reads the answer.


async def _ollama(place: _Place, answer: _Answer) -> FoundServer | None:
    """Ollama: https://docs.ollama.com/api."""
    if answer.status != HTTPStatus.OK or not isinstance(_field(answer.body, "version"), str):
        return None
    (tags,) = await place.ask(("/api/tags", None))
    if tags is None or not isinstance(_field(tags.body, "models"), list):
        return None
    names = [name for each in tags.body["models"] if isinstance(name := _field(each, "name"), str)]
    described = await place.ask(*(("/api/show", {"model": name}) for name in names))
    models = [_ollama_model(name, shown.body if shown else None) for name, shown in zip(names, described, strict=True)]
    return _found("ollama", "Ollama", place, [model for model in models if model is not None])


def _ollama_model(name: str, shown: Any) -> FoundModel | None:
    """The model, or ``None`` for one that is not a chat model."""
    abilities = _field(shown, "capabilities")
    if not isinstance(abilities, list):
        return FoundModel(name=name) if is_chat_model(name) else None
    if "completion" not in abilities:
        return None
    facts = _field(shown, "model_info")
    trained = _field(facts, f"{_field(facts, 'general.architecture')}.context_length")
    return FoundModel(
        name=name, context_tokens=_count(trained), images="vision" in abilities, tools="tools" in abilities
    )


async def _lm_studio(place: _Place, answer: _Answer) -> FoundServer | None:
    """LM Studio: https://lmstudio.ai/docs/developer/rest/endpoints."""
    models = _field(answer.body, "data")
    if answer.status != HTTPStatus.OK or not isinstance(models, list):
        return None
    return _found(
        "lmstudio",
        "LM Studio",
        place,
        [
            FoundModel(
                name=each["id"],
                context_tokens=_count(each.get("loaded_context_length")) or _count(each.get("max_context_length")),
                images=each["type"] == "vlm",
                tools="tool_use" in each["capabilities"] if isinstance(each.get("capabilities"), list) else None,
            )
            for each in models
            if isinstance(_field(each, "id"), str) and _field(each, "type") in ("llm", "vlm")
        ],
    )


async def _llama_cpp(place: _Place, answer: _Answer) -> FoundServer | None:
    """llama.cpp's llama-server: https://github.com/ggml-org/llama.cpp/tree/master/tools/server."""
    settings = _field(answer.body, "default_generation_settings")
    if answer.server != "llama.cpp" and not isinstance(settings, dict):
        return None
    (listed,) = await place.ask(("/v1/models", None))
    names = _listed(listed)
    context = _count(_field(settings, "n_ctx"))
    vision = _field(_field(answer.body, "modalities"), "vision")
    images = vision if isinstance(vision, bool) else None
    # The server describes its one model. With several models the description belongs to none of them.
    alone = len(names) == 1
    return _found(
        "llamacpp",
        "llama.cpp",
        place,
        [
            FoundModel(name=name, context_tokens=context if alone else None, images=images if alone else None)
            for name in names
        ],
        needs_key=answer.status == HTTPStatus.UNAUTHORIZED,
    )


async def _jan(place: _Place, answer: _Answer) -> FoundServer | None:
    """Jan: https://jan.ai/docs/desktop/api-server. Its description is public; its list of models needs a key."""
    title = _field(_field(answer.body, "info"), "title")
    if not isinstance(title, str) or not title.startswith("Jan "):
        return None
    (listed,) = await place.ask(("/v1/models", None))
    refused = listed is not None and listed.status == HTTPStatus.UNAUTHORIZED
    return _found("jan", "Jan", place, [FoundModel(name=name) for name in _listed(listed)], needs_key=refused)


_PROGRAMS: Sequence[tuple[str, Callable[[_Place, _Answer], Awaitable[FoundServer | None]]]] = (
    ("/api/version", _ollama),
    ("/api/v0/models", _lm_studio),
    ("/props", _llama_cpp),
    ("/openapi.json", _jan),
)


def _found(
    name: str, title: str, place: _Place, models: Sequence[FoundModel], *, needs_key: bool = False
) -> FoundServer:
    return FoundServer(name=name, title=title, base_url=f"{place.origin}/v1", models=tuple(models), needs_key=needs_key)


def _field(value: Any, name: str) -> Any:
    """A member of a JSON object, or ``None`` if the value is something else."""
    return value.get(name) if isinstance(value, dict) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _listed(answer: _Answer | None) -> list[str]:
    """The chat models of a list in OpenAI's format."""
    entries = _field(answer.body, "data") if answer is not None else None
    names = [_field(each, "id") for each in entries] if isinstance(entries, list) else []
    return [name for name in names if isinstance(name, str) and is_chat_model(name)]
