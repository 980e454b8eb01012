"""The certificate of the page for phones: kept, made anew when it has to be, and its key the user's alone."""

import ipaddress
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from assistant.host.certificate import RENEWED_BEFORE, VALID, certificate_for
from tests.fakes.clock import FakeClock

HOME, WORK, OWN = "192.168.0.5", "10.1.2.3", "fd00::2"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "phone-certificate.pem"


def read(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_it_names_the_addresses_and_only_its_owner_reads_its_key(path: Path) -> None:
    made = certificate_for(path, (HOME, OWN), FakeClock().now())
    names = read(path).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert {*names.get_values_for_type(x509.IPAddress)} == {ipaddress.ip_address(each) for each in (HOME, OWN)}
    assert isinstance(read(path).public_key(), ec.EllipticCurvePublicKey)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert made.readable.replace(":", "").lower() == made.fingerprint
    assert len(made.readable) == 95


def test_it_stays_the_same_while_it_names_the_addresses_and_lasts(path: Path) -> None:
    clock = FakeClock()
    first = certificate_for(path, (HOME, WORK), clock.now())
    later = clock.now() + VALID - RENEWED_BEFORE - timedelta(days=2)
    assert certificate_for(path, (HOME,), later) == first


@pytest.mark.parametrize(
    ("addresses", "days"), [((HOME, WORK), 0), ((HOME,), VALID.days - 20), ((HOME,), VALID.days + 20), ((HOME,), -9)]
)
def test_another_address_or_its_end_makes_another_with_the_same_key(
    path: Path, addresses: tuple[str, ...], days: int
) -> None:
    now = FakeClock().now()
    first, key = certificate_for(path, (HOME,), now), read(path).public_key()
    second = certificate_for(path, addresses, now + timedelta(days=days))
    assert second.fingerprint != first.fingerprint
    assert read(path).public_key() == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_damaged_file_is_replaced(path: Path) -> None:
    path.write_text("-----BEGIN PRIVATE KEY-----\nnothing\n")
    made = certificate_for(path, (HOME,), FakeClock().now())
    assert made == certificate_for(path, (HOME,), FakeClock().now())


def test_a_certificate_of_another_key_is_not_used(path: Path, tmp_path: Path) -> None:
    now = FakeClock().now()
    certificate_for(path, (HOME,), now)
    foreign = tmp_path / "foreign.pem"
    fingerprint = certificate_for(foreign, (HOME,), now).fingerprint
    key = path.read_text().partition("-----BEGIN CERTIFICATE")[0]
    path.write_text(key + "-----BEGIN CERTIFICATE" + foreign.read_text().partition("-----BEGIN CERTIFICATE")[2])
    assert certificate_for(path, (HOME,), now).fingerprint != fingerprint
