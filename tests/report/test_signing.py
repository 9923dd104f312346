"""Signatures under a certificate: of these bytes, by that key, and by no other."""

import json
import os
import sys

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519
from event_stream import STREAMS

from harness.report.certificate import Evidence
from harness.report.certificate import certificate as stated
from harness.report.files import laid_out


def pair(folder, name, private):
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (folder / f"{name}.pem").write_bytes(pem)
    (folder / f"{name}.pub.pem").write_bytes(public)
    return folder / f"{name}.pem", folder / f"{name}.pub.pem"


@pytest.fixture
def certificate(tmp_path):
    path = tmp_path / "certificate.json"
    started, *_, finished = STREAMS["conformant"]()
    made = stated(started, [], finished, Evidence("events.jsonl", "0" * 64, 1))
    path.write_text(laid_out(msgspec.to_builtins(made)))
    return path


KEYS = {
    "ed25519": ed25519.Ed25519PrivateKey.generate,
    "ecdsa": lambda: ec.generate_private_key(ec.SECP256R1()),
    "rsa": lambda: rsa.generate_private_key(65537, 2048),
}


@pytest.mark.parametrize("kind", KEYS)
def test_who_has_the_key_signs_and_who_has_the_other_half_sees_it(certificate, windtunnel, kind):
    private, public = pair(certificate.parent, "me", KEYS[kind]())
    _, other = pair(certificate.parent, "other", KEYS[kind]())
    ran = windtunnel("sign", certificate, "--key", private)
    assert (0, str(certificate.with_name("certificate.dsse.json"))) == (ran.code, ran.out.strip())
    assert "holds signature: by the owner of me.pub.pem" in windtunnel("verify", certificate, "--key", public).out
    assert (
        "refuted signature: not by the owner of other.pub.pem" in windtunnel("verify", certificate, "--key", other).out
    )
    certificate.write_text(certificate.read_text() + " ")
    assert "refuted signature" in windtunnel("verify", certificate, "--key", public).out


def test_what_is_no_key_or_no_envelope_is_told(certificate, windtunnel):
    private, public = pair(certificate.parent, "me", KEYS["ed25519"]())
    no_signer, _ = pair(certificate.parent, "x", x25519.X25519PrivateKey.generate())
    assert "is no private key in PEM that can sign" in windtunnel("sign", certificate, "--key", no_signer).err
    assert "is no private key in PEM that can sign" in windtunnel("sign", certificate, "--key", public).err
    assert "cannot read" in windtunnel("sign", certificate, "--key", certificate.parent / "none").err
    os.mkfifo(certificate.parent / "fifo")
    assert "fifo: it is no regular file" in windtunnel("sign", certificate, "--key", certificate.parent / "fifo").err
    assert "is no public key in PEM" in windtunnel("verify", certificate, "--key", private).err
    assert "cannot read" in windtunnel("verify", certificate, "--key", public).err
    certificate.with_name("certificate.dsse.json").write_text("{")
    assert "is no signed envelope" in windtunnel("verify", certificate, "--key", public).err


def test_without_the_extra_it_says_what_to_install(certificate, windtunnel, monkeypatch):
    private, _ = pair(certificate.parent, "me", KEYS["ed25519"]())
    monkeypatch.delitem(sys.modules, "harness.report.signing", raising=False)
    monkeypatch.delattr("harness.report.signing", raising=False)
    for name in [each for each in sys.modules if each.partition(".")[0] == "securesystemslib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "securesystemslib", None)
    ran = windtunnel("sign", certificate, "--key", private)
    assert 2 == ran.code
    assert "pip install 'windtunnel[sign]'" in ran.err


def test_as_json_the_envelope_is_named_beside_what_it_signs(certificate, windtunnel):
    private, _ = pair(certificate.parent, "me", KEYS["ed25519"]())
    ran = windtunnel("sign", certificate.parent, "--key", private, "--json")
    envelope = certificate.with_name("certificate.dsse.json")
    assert (0, "", True) == (ran.code, ran.err, envelope.is_file())
    assert {"certificate": str(certificate), "envelope": str(envelope)} == json.loads(ran.out)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("not json", "it is cut short, or no certificate of windtunnel"),
        ('{"_type": "https://in-toto.io/Statement/v1"}', "it is cut short, or no certificate of windtunnel"),
        ('{"predicate": {"windtunnel": {"format": 9}}}', "it has format 9; windtunnel"),
        ('{"predicate": {"windtunnel": {"format": 1}}}', "a field is not as the schema has it: "),
    ],
)
def test_what_is_no_certificate_is_not_signed(tmp_path, windtunnel, text, why):
    private, _ = pair(tmp_path, "me", KEYS["ed25519"]())
    path = tmp_path / "certificate.json"
    path.write_text(text)
    before = sorted(tmp_path.iterdir())
    ran = windtunnel("sign", path, "--key", private)
    assert (2, "") == (ran.code, ran.out)
    assert f"{path} is no certificate to sign: {why}" in ran.err
    assert before == sorted(tmp_path.iterdir())
