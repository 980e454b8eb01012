"""Reads ``project.yaml``, which declares a service, and names the line of each mistake."""

import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_args

import yaml

from assistant.core.settings import Language
from assistant.flows.loading.faults import unusable

PROJECT_FILE: Final = "project.yaml"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_CLASS = re.compile(r"(?:[a-z_][a-z0-9_]*\.)+[A-Za-z_]\w*")
_KEYS: Final = frozenset({"name", "version", "titles", "agents", "router", "handlers"})
_MORE_KEYS: Final = frozenset({"description"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceProject:
    """What ``project.yaml`` declares.

    Attributes:
        name: name of the service, that of its folder.
        version: its version.
        titles: its name for the user, in each language.
        description: what it does, in each language; may be empty.
        agents: names of its agents, each a folder of ``agents/``.
        router: the class of the router, as ``flows.router.Name``.
        handlers: the class of each handler by its key.
        lines: the line of each key, and of each part as ``handlers.chat``.
    """

    name: str
    version: str
    titles: Mapping[Language, str]
    description: Mapping[Language, str] = field(default_factory=dict)
    agents: tuple[str, ...]
    router: str
    handlers: Mapping[str, str]
    lines: Mapping[str, int] = field(default_factory=dict)


def is_service_name(name: str) -> bool:
    """Whether a service may have this name: a Python name of small Latin letters, digits and ``_``."""
    return _NAME.fullmatch(name) is not None and not keyword.iskeyword(name)


def read_project(source: bytes, folder: str) -> ServiceProject:
    """Read the file.

    Args:
        source: its bytes.
        folder: name of the folder of the service, which is the service's name.

    Raises:
        ServiceFaultError: it is no YAML, or something is missing, unknown or of the wrong kind.
    """
    values, lines = _read(source)
    for key, at, more in _mistakes(values, folder):
        raise unusable(key, PROJECT_FILE, lines.get(at, 1), **more)
    return ServiceProject(
        name=folder,
        version=str(values["version"]),
        titles={language: values["titles"][language].strip() for language in get_args(Language)},
        description={language: text.strip() for language, text in values.get("description", {}).items()},
        agents=tuple(values["agents"]),
        router=values["router"],
        handlers={str(key): path for key, path in values["handlers"].items()},
        lines=lines,
    )


def _mistakes(values: Mapping[str, Any], folder: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """What is wrong: the key of the fault, its place, the fields of its words. Each check needs the former ones."""
    for each in values:
        if each not in _KEYS | _MORE_KEYS:
            yield "project_unknown", each, {"entry": each, "known": ", ".join(sorted(_KEYS | _MORE_KEYS))}
    for each in sorted(_KEYS - set(values)):
        yield "project_missing", "", {"entry": each}
    if values["name"] != folder or not is_service_name(folder):
        yield "project_name", "name", {"name": str(values["name"]), "folder": folder}
    for entry in ("titles", *(_MORE_KEYS & set(values))):
        for language in get_args(Language):
            if not isinstance(values[entry], dict) or not _is_text(values[entry].get(language)):
                yield "project_title", entry, {"entry": entry, "language": language}
    if not isinstance(values["agents"], list) or not all(map(_is_agent, values["agents"])):
        yield "project_agents", "agents", {}
    yield from _wrong_classes(values["router"], values["handlers"])


def _wrong_classes(router: object, handlers: object) -> Iterator[tuple[str, str, dict[str, str]]]:
    if not isinstance(handlers, dict) or not handlers:
        yield "project_handlers", "handlers", {}
        return
    for at, path in (("router", router), *((f"handlers.{key}", each) for key, each in handlers.items())):
        if not isinstance(path, str) or not _CLASS.fullmatch(path):
            yield "project_class", at, {"entry": at, "value": str(path)}


def _is_agent(value: object) -> bool:
    return isinstance(value, str) and is_service_name(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _read(source: bytes) -> tuple[dict[str, Any], dict[str, int]]:
    """The values, and the line of each key."""
    try:
        text = source.decode("utf-8")
        values, lines = yaml.safe_load(text), dict(_lines(yaml.compose(text, Loader=yaml.SafeLoader), ""))
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        raise unusable("project_yaml", PROJECT_FILE, line, reason="UTF-8") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = str(getattr(error, "problem", "") or error).splitlines()[0]
        raise unusable("project_yaml", PROJECT_FILE, 1 if mark is None else mark.line + 1, reason=reason) from error
    if not isinstance(values, dict):
        raise unusable("project_yaml", PROJECT_FILE, 1, reason="mapping")
    return {str(key): value for key, value in values.items()}, lines


def _lines(node: yaml.Node, above: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            place = f"{above}{key.value}"
            found += [(place, key.start_mark.line + 1), *_lines(value, f"{place}.")]
    elif isinstance(node, yaml.SequenceNode):
        found += [(f"{above}{each.value}", each.start_mark.line + 1) for each in node.value]
    return found
