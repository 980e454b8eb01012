"""The certificate of a PostgreSQL server is checked, also where the address does not say against what."""

import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass
from assistant.host.certificate import certificate_for
from assistant.storage.postgres.server import PostgresServer
from tests.fakes.ledger import MemoryLedger

REACHED = "the server has been reached"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """One that no authority has signed."""
    return certificate_for(tmp_path / "server.pem", ["127.0.0.1"], datetime.now(UTC)).path


@pytest.fixture
def port(certificate: Path) -> Iterator[int]:
    """A server that begins TLS as PostgreSQL does, and then refuses whoever has let its certificate pass."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    refusal = f"SFATAL\0C57P03\0M{REACHED}\0\0".encode()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with listening.accept()[0] as plain:
                plain.recv(8)  # SSLRequest
                plain.sendall(b"S")
                try:
                    with context.wrap_socket(plain, server_side=True) as safe:
                        safe.recv(1024)
                        safe.sendall(b"E" + struct.pack("!i", len(refusal) + 4) + refusal)
                        safe.recv(1)
                except OSError:  # The client has not let it pass.
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("sslmode=verify-full", "certificate verify failed"),
        ("sslmode=verify-ca", "certificate verify failed"),
        ("sslrootcert=system", "certificate verify failed"),
        ("sslmode=verify-full&sslrootcert={file}", REACHED),
        ("sslmode=require", REACHED),
    ],
)
async def test_who_has_signed_is_checked(
    options: str, told: str, port: int, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    address = f"postgresql://me@127.0.0.1:{port}/db?gssencmode=disable&{options.format(file=certificate)}"
    server = PostgresServer(address, "", MemoryLedger(), purpose="test", schema="test")
    with pytest.raises(StorageError, match=told) as raised:
        await server.run(lambda connection: connection.execute("SELECT 1"), data=DataClass.NONE)
    assert raised.value.message_key == f"error.postgres_{'server' if told == REACHED else 'certificate'}"
    await server.close()
