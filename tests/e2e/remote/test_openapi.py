"""The door does what its OpenAPI document says: schemathesis calls every address with valid and invalid values."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CheckFunction
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from tests.e2e.remote.conftest import Sori

_ENDLESS = r"^/v1/(events|conversations/\{conversation\}/events)$"
"""Streams that go on until the caller hangs up; other tests follow them."""
_CANNOT_SAY: dict[str, list[CheckFunction]] = {
    # The last message must be the user's.
    "/v1/chat/completions": [positive_data_acceptance],
    # A form has texts only, so no value of a field has a wrong type; and a random sound is none.
    "/v1/audio/transcriptions": [negative_data_rejection, positive_data_acceptance],
    # A text of spaces is no message.
    "/v1/agent/chat": [positive_data_acceptance],
    "/v1/agent/chat/stream": [positive_data_acceptance],
    "/v1/agent/edit/stream": [positive_data_acceptance],
    "/v1/conversations/{conversation}/turns": [positive_data_acceptance],
    "/v1/conversations/{conversation}/turns/edit": [positive_data_acceptance],
}
"""What the document cannot say of an address, so that it cannot be checked there."""


@pytest.fixture(scope="module")
def described(sori: Sori) -> schemathesis.BaseSchema:
    headers = {"Authorization": f"Bearer {sori.token}"}
    found = schemathesis.openapi.from_url(f"{sori.base_url}/openapi.json", headers=headers)
    return found.exclude(path_regex=_ENDLESS)


schema = schemathesis.pytest.from_fixture("described")


@schema.parametrize()
@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
    derandomize=True,
    database=None,
)
def test_every_address_does_what_is_described(case: schemathesis.Case, sori: Sori) -> None:
    headers = {"Authorization": f"Bearer {sori.token}"}
    # Wrong tokens are tried in other tests: after ten a minute they are refused unseen.
    case.call_and_validate(headers=headers, excluded_checks=[ignored_auth, *_CANNOT_SAY.get(case.path, [])])
