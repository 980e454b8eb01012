import pytest

from tests.fakes.backend_bench import KINDS, Open, opening


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest) -> Open:
    return opening(request.param)
