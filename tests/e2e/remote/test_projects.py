"""Projects and their files over HTTP: the status of each kind of refusal, and what a token may do."""

import base64
from typing import Any

import pytest

from tests.e2e.remote.conftest import Sori

_FILE = {"mime_type": "text/plain", "name": "회의록.md", "data": base64.b64encode("회의는 3시예요.".encode()).decode()}
_ELSEWHERE = {"mime_type": "text/plain", "name": "비밀.txt", "reference": "1/0", "size": 3}


@pytest.fixture(scope="module")
def project(sori: Sori) -> str:
    status, made = sori.call("POST", "/v1/projects", {"name": "회사 일"})
    assert status == 201
    return str(made["id"])


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "reason"),
    [
        ("GET", "/v1/projects/nothing", None, 404, "project_unknown"),
        ("PATCH", "/v1/projects/nothing", {"name": "x"}, 404, "project_unknown"),
        ("DELETE", "/v1/projects/nothing", None, 404, "project_unknown"),
        ("GET", "/v1/projects/nothing/files", None, 404, "project_unknown"),
        ("POST", "/v1/projects/nothing/files", {"file": _FILE}, 404, "project_unknown"),
        ("POST", "/v1/projects/nothing/retry", {}, 404, "project_unknown"),
        ("POST", "/v1/projects/nothing/search", {"question": "회의"}, 404, "project_unknown"),
        ("GET", "/v1/project-files/nothing", None, 404, "project_file_unknown"),
        ("DELETE", "/v1/project-files/nothing", None, 404, "project_file_unknown"),
        ("POST", "/v1/projects", {"name": " "}, 400, "project_name_empty"),
        ("POST", "/v1/projects", {"name": "회사 일"}, 409, "project_name_taken"),
        ("POST", "/v1/projects", {"name": "폴더", "folders": ["/tmp"]}, 403, "folders_are_the_users"),
        ("POST", "/v1/projects/{project}/files", {"file": _ELSEWHERE}, 400, "invalid"),
        ("POST", "/v1/files/prepare", {"conversation": "", "file": _ELSEWHERE}, 400, "invalid"),
        ("GET", "/v1/projects/{project}/files?states=nothing", None, 400, "invalid"),
        ("GET", "/v1/projects/{project}/files?limit=1&limit=2", None, 400, "invalid"),
    ],
)
def test_a_refusal_has_the_status_of_its_kind(
    sori: Sori, project: str, method: str, path: str, body: Any, status: int, reason: str
) -> None:
    given, told = sori.call(method, path.replace("{project}", project), body)
    assert (given, told["error"]["reason"]) == (status, reason)


def test_a_file_is_added_by_its_bytes_and_listed_by_its_states(sori: Sori, project: str) -> None:
    status, file = sori.call("POST", f"/v1/projects/{project}/files", {"file": {**_FILE, "name": "../나쁜\\회의록.md"}})
    assert (status, file["name"]) == (201, "회의록.md")
    again = sori.call("POST", f"/v1/projects/{project}/files", {"file": _FILE})[1]
    assert again["id"] == file["id"]
    all_states = "&".join(f"states={each}" for each in ("stored", "reading", "indexing", "ready"))
    assert len(sori.call("GET", f"/v1/projects/{project}/files?{all_states}")[1]["files"]) == 1
    assert sori.call("GET", f"/v1/projects/{project}/files?states=failed") == (200, {"files": []})
    missing = sori.call("GET", f"/v1/project-files/{file['id']}?passage=99")
    assert (missing[0], missing[1]["error"]["reason"]) == (404, "passage_unknown")


@pytest.mark.parametrize(
    ("path", "body"),
    [("/v1/projects", {"name": "남의 것"}), ("/v1/projects/{project}/files", {"file": _FILE})],
)
def test_a_program_that_may_not_manage_adds_nothing(sori: Sori, project: str, path: str, body: Any) -> None:
    assert sori.call("POST", path.replace("{project}", project), body, token=sori.confined)[0] == 403


def test_a_file_that_is_too_long_for_a_message_fails_with_its_reason_and_becomes_one_of_a_project(
    sori: Sori, project: str
) -> None:
    text = "Every line of the report is about the harbour.\n" * 1500
    long = {"mime_type": "text/plain", "name": "긴 보고서.txt", "data": base64.b64encode(text.encode()).decode()}
    status, prepared = sori.call("POST", "/v1/files/prepare", {"conversation": "", "file": long})
    assert (status, prepared["for_project"]) == (200, True)
    assert f"{prepared['tokens']:,}" in prepared["failure"]["message"]
    assert "프로젝트" in prepared["failure"]["remedy"]
    assert sori.call("POST", f"/v1/projects/{project}/files", {"file": long})[0] == 201


@pytest.mark.parametrize(("text", "reason"), [("", "비어"), (" \n\n", "글자가 없는")])
def test_a_file_without_text_tells_why(sori: Sori, text: str, reason: str) -> None:
    empty = {"mime_type": "text/plain", "name": "빈.txt", "data": base64.b64encode(text.encode()).decode()}
    prepared = sori.call("POST", "/v1/files/prepare", {"conversation": "", "file": empty})[1]
    assert reason in prepared["failure"]["message"]
