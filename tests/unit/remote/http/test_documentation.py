"""What docs/http.md tells of addresses is what the door has, and what OpenAPI describes."""

import re
from pathlib import Path

from assistant.remote.http.openapi import document
from assistant.remote.http.routes import ROUTES

_PAGE = Path("docs/http.md").read_text(encoding="utf-8")
_NAMES = {"conversation": "ID", "project": "PROJECT", "file": "FILE", "turn": "TURN"}


def _as_written(path: str) -> str:
    return re.sub(r"\{(\w+)(?::path)?\}", lambda name: _NAMES.get(name[1], name[1].upper()), path)


def test_every_address_of_projects_and_their_files_is_told() -> None:
    written = set(re.findall(r"/v1/[\w/-]+", _PAGE))
    told = ("project", "/flow", "/v1/files/prepare")
    known = {_as_written(each.path) for each in ROUTES if any(part in each.path for part in told)}
    assert len(known) > 8
    assert known <= written


def test_openapi_describes_the_same_addresses_and_methods() -> None:
    paths = document(ROUTES)["paths"]
    assert {(each.method.lower(), each.path) for each in ROUTES} == {
        (method, path) for path, methods in paths.items() for method in methods
    }
    assert {_as_written(path) for path in paths if "project" in path} <= set(re.findall(r"/v1/[\w/-]+", _PAGE))
