"""The certificate by which a phone recognises this computer: made here, and signed by nobody else.

Its key is kept when the certificate is made anew, for other addresses or before it ends.
"""

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from assistant.storage.atomic import alone_with, write_text

VALID = timedelta(days=365)
"""Browsers of phones refuse certificates of more than 398 days."""
RENEWED_BEFORE = timedelta(days=30)
_AHEAD = timedelta(days=1)
"""A phone whose clock is behind takes a new certificate too."""
_NAME = "Sori"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate in a file.

    Attributes:
        path: PEM with the private key and the certificate; only the user may read it.
        fingerprint: SHA-256 of the certificate, 64 hexadecimal digits, as browsers show it.
    """

    path: Path
    fingerprint: str

    @property
    def readable(self) -> str:
        """The fingerprint as browsers show it: pairs of capital digits with colons."""
        return ":".join(self.fingerprint[at : at + 2] for at in range(0, len(self.fingerprint), 2)).upper()


@dataclass(frozen=True, slots=True)
class KeptCertificate:
    """What a kept certificate says.

    Attributes:
        fingerprint: SHA-256 of the certificate, 64 hexadecimal digits.
        addresses: the addresses that it names, as it was made for them.
        until: when it ends.
    """

    fingerprint: str
    addresses: tuple[str, ...]
    until: datetime


def kept_certificate(path: Path) -> KeptCertificate | None:
    """The certificate in a file, as it is; ``None`` if there is none that can be used."""
    _, kept = _read(path)
    if kept is None:
        return None
    return KeptCertificate(kept.fingerprint(hashes.SHA256()).hex(), _named(kept), kept.not_valid_after_utc)


def certificate_for(path: Path, addresses: Collection[str], now: datetime) -> Certificate:
    """The certificate of this computer. It is made, or made anew, unless it names all addresses and lasts a month.

    Args:
        path: where it is kept.
        addresses: the addresses that it has to name.
        now: the time.

    Raises:
        StorageError: it cannot be kept.
    """
    with alone_with(path):
        key, kept = _read(path)
        if kept is None or key is None or not _serves(kept, addresses, now):
            key = key or ec.generate_private_key(ec.SECP256R1())
            kept = _made(key, addresses, now)
            _write(path, key, kept)
    return Certificate(path, kept.fingerprint(hashes.SHA256()).hex())


def _read(path: Path) -> tuple[ec.EllipticCurvePrivateKey | None, x509.Certificate | None]:
    """What the file holds; ``None`` for what is missing or damaged. A certificate of another key is none."""
    try:
        content = path.read_bytes()
        key = serialization.load_pem_private_key(content, None)
    except (OSError, ValueError, TypeError):
        return None, None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        return None, None
    try:
        kept = x509.load_pem_x509_certificate(content)
    except ValueError:
        return key, None
    return key, kept if kept.public_key() == key.public_key() else None


def _serves(kept: x509.Certificate, addresses: Collection[str], now: datetime) -> bool:
    lasts = kept.not_valid_before_utc <= now <= kept.not_valid_after_utc - RENEWED_BEFORE
    return lasts and {str(ipaddress.ip_address(each)) for each in addresses} <= {*_named(kept)}


def _named(kept: x509.Certificate) -> tuple[str, ...]:
    names = kept.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return tuple(str(each) for each in names.get_values_for_type(x509.IPAddress))


def _made(key: ec.EllipticCurvePrivateKey, addresses: Collection[str], now: datetime) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    named = [x509.IPAddress(ipaddress.ip_address(each)) for each in addresses]
    begins = now.astimezone(UTC) - _AHEAD
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + VALID)
        .add_extension(x509.SubjectAlternativeName(named), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def _write(path: Path, key: ec.EllipticCurvePrivateKey, made: x509.Certificate) -> None:
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    if path.exists():
        path.chmod(0o600)
    write_text(path, (secret + made.public_bytes(serialization.Encoding.PEM)).decode("ascii"))
