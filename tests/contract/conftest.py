import pytest

from tests.fakes.backend_bench import FORMATS, KINDS, Open, opening


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest) -> Open:
    """Of every kind."""
    return opening(request.param)


@pytest.fixture(params=FORMATS)
def opened_format(request: pytest.FixtureRequest) -> Open:
    """Of one kind for each wire format, for long tables of what happens beneath the kinds."""
    return opening(request.param)
