"""``windtunnel sign``: a signature under a certificate, with a key of your own."""

from pathlib import Path
from types import ModuleType

import click

from harness.errors import FileFormatError, UsageError
from harness.report.certificate import NAME
from harness.report.files import laid_out
from harness.report.verifying import verified


@click.command("sign")
@click.argument("path", type=click.Path(path_type=Path), metavar="CERTIFICATE")
@click.option("--key", type=click.Path(path_type=Path), required=True, help="Your private key, in PEM.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def command(path: Path, key: Path, as_json: bool) -> int:
    """Sign a certificate: certificate.dsse.json beside it, a DSSE envelope that others check with your public key.

    \b
    windtunnel sign windtunnel-report --key me.pem
    windtunnel verify windtunnel-report --key me.pub.pem
    """
    path = path / NAME if path.is_dir() else path
    form = next(verified(path))
    if form.ok is False:
        raise FileFormatError(f"{path} is no certificate to sign: {form.says}")
    envelope = signing().sign(path, key)
    click.echo(laid_out({"certificate": str(path), "envelope": str(envelope)}) if as_json else envelope)
    return 0


def signing() -> ModuleType:
    """The module that signs; UsageError when the extra it needs is not installed."""
    try:
        from harness.report import signing as found  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("securesystemslib", "cryptography"):
            raise
        raise UsageError(
            f"signatures need {error.name}, which is not installed: pip install 'windtunnel[sign]'"
        ) from error
    return found
