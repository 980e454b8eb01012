import sys
from collections.abc import Iterator

import pytest

from tests.contract.postgres import postgres_server
from tests.fakes.backend_bench import FORMATS, KINDS, Open, opening


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest) -> Open:
    """Of every kind."""
    return opening(request.param)


@pytest.fixture(params=FORMATS)
def opened_format(request: pytest.FixtureRequest) -> Open:
    """Of one kind for each wire format, for long tables of what happens beneath the kinds."""
    return opening(request.param)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL server."""
    if sys.platform != "linux":
        pytest.skip("the package with a PostgreSQL server is installed on Linux only")
    with postgres_server(tmp_path_factory.mktemp("postgres")) as address:
        yield address
