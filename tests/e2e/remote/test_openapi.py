"""The door does what its OpenAPI document says: schemathesis calls every address with valid and invalid values."""

from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CheckFunction
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from assistant.host.clock import SystemClock
from assistant.host.tokens import TokenFile
from assistant.remote.http.application import HttpApplication
from assistant.remote.http.entrance import Entrance
from tests.e2e.conversation.running_engine import TEXTS
from tests.e2e.remote.conftest import Sori
from tests.fakes.front.engine_service import FakeEngineService

_ENDLESS = r"^/v1/(events|conversations/\{conversation\}/events)$"
"""Streams that go on until the caller hangs up; other tests follow them."""
_CANNOT_SAY: dict[str, list[CheckFunction]] = {
    # The last message must be the user's.
    "/v1/chat/completions": [positive_data_acceptance],
    # A form has texts only, so no value of a field has a wrong type; and a random sound is none.
    "/v1/audio/transcriptions": [negative_data_rejection, positive_data_acceptance],
    # A fact and a search have words.
    "/v1/memory/facts": [positive_data_acceptance],
    "/v1/memory/find": [positive_data_acceptance],
    "/v1/memory/forget": [positive_data_acceptance],
    # A time has a form that the interface does not tell.
    "/v1/usage": [positive_data_acceptance],
    "/v1/egress": [positive_data_acceptance],
    "/v1/timers/{timer}": [positive_data_acceptance],
    "/v1/schedule": [positive_data_acceptance],
    # A person and a project have a name.
    "/v1/people": [positive_data_acceptance],
    "/v1/people/import": [positive_data_acceptance],
    "/v1/people/{person}": [positive_data_acceptance],
    "/v1/projects": [positive_data_acceptance],
    # A value must fit its setting.
    "/v1/settings/{name}": [positive_data_acceptance],
    # A text of spaces is no message, and a file has its bytes.
    "/v1/files/prepare": [positive_data_acceptance],
    "/v1/projects/{project}/files": [positive_data_acceptance],
    "/v1/agent/chat": [positive_data_acceptance],
    "/v1/agent/chat/stream": [positive_data_acceptance],
    "/v1/agent/edit/stream": [positive_data_acceptance],
    "/v1/conversations/{conversation}/turns": [positive_data_acceptance],
    "/v1/conversations/{conversation}/turns/edit": [positive_data_acceptance],
}
"""What the document cannot say of an address, so that it cannot be checked there."""


def described() -> dict[str, Any]:
    """The document of a door in front of nobody."""
    application = HttpApplication(FakeEngineService(), TokenFile(Path("none"), SystemClock()), TEXTS, Entrance(port=1))
    return application.document


schema = schemathesis.openapi.from_dict(described()).exclude(path_regex=_ENDLESS)


def test_the_document_is_told_over_http(sori: Sori) -> None:
    assert sori.call("GET", "/v1/openapi.json") == (200, described())


@schema.parametrize()
@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
    derandomize=True,
    database=None,
)
def test_every_address_does_what_is_described(case: schemathesis.Case[Any], sori: Sori) -> None:
    headers = {"Authorization": f"Bearer {sori.token}"}
    # Wrong tokens are tried in other tests: after ten a minute they are refused unseen.
    base_url = sori.base_url.removesuffix("/v1")
    case.call_and_validate(
        base_url=base_url, headers=headers, excluded_checks=[ignored_auth, *_CANNOT_SAY.get(case.path, [])]
    )
