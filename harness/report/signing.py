"""Signatures under a certificate, with a key that the user has: a DSSE envelope, made and checked by securesystemslib.

Needs the extra ``sign``.
"""

from pathlib import Path
from typing import Final

import msgspec
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import UnverifiedSignatureError, VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # its package has no __all__

from harness.errors import FileFormatError, UsageError
from harness.ports.named_file import SMALL_BYTES, read_named
from harness.report.certificate import MOST_BYTES
from harness.report.files import laid_out, write_whole

NAME: Final = "certificate.dsse.json"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
_UNREADABLE: Final = (ValueError, TypeError, KeyError)


def sign(certificate: Path, key: Path) -> Path:
    """Writes the envelope beside the certificate, and gives its path. UsageError when a file is no key or not there."""
    try:
        signer = CryptoSigner(load_pem_private_key(_read(key), password=None))
    except _UNREADABLE as error:
        raise UsageError(
            f"{key} is no private key in PEM that can sign (RSA, ECDSA or Ed25519, no password)"
        ) from error
    envelope = Envelope(_read(certificate, MOST_BYTES), PAYLOAD_TYPE, {})
    envelope.sign(signer)
    place = certificate.with_name(NAME)
    write_whole(place, laid_out(envelope.to_dict()))
    return place


def is_signed(certificate: Path, key: Path) -> bool:
    """Is there an envelope beside the certificate, over these very bytes, signed by the owner of that public key?"""
    try:
        public = SSlibKey.from_crypto(load_pem_public_key(_read(key)))
    except _UNREADABLE as error:
        raise UsageError(f"{key} is no public key in PEM") from error
    place = certificate.with_name(NAME)
    try:
        envelope = Envelope.from_dict(msgspec.json.decode(_read(place, 2 * MOST_BYTES)))
        if envelope.payload != _read(certificate, MOST_BYTES) or envelope.payload_type != PAYLOAD_TYPE:
            return False
        envelope.verify([public], 1)
    except (VerificationError, UnverifiedSignatureError):
        return False
    except (msgspec.DecodeError, *_UNREADABLE) as error:
        raise FileFormatError(f"{place} is no signed envelope: {error}") from error
    return True


def _read(path: Path, most_bytes: int = SMALL_BYTES) -> bytes:
    try:
        return read_named(path, most_bytes)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
