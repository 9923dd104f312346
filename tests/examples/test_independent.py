"""Implementations that were written a second time, from documents and protocol alone, conform at L1."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEPENDENT = {path.parent.name: path for path in sorted((ROOT / "examples" / "independent").glob("*/target.yaml"))}
SYSTEM_OF = {"circuit_breaker_node": "circuit_breaker", "review_gate_bash": "review_gate"}


def test_every_independent_implementation_is_certified_here():
    assert SYSTEM_OF.keys() == INDEPENDENT.keys()


@pytest.mark.tools
@pytest.mark.parametrize("name", sorted(SYSTEM_OF))
def test_it_conforms_in_every_simple_situation(windtunnel, tmp_path, name):
    ran = windtunnel(
        "certify", INDEPENDENT[name], "--system", SYSTEM_OF[name], "--level", "L1", "--cases", "0", "--report", tmp_path
    )
    assert 0 == ran.code, ran.out
    assert f"conformant · {SYSTEM_OF[name]} level L1 reached" in ran.out


@pytest.mark.tools
def test_where_it_parts_from_the_reference_is_shown(windtunnel):
    ran = windtunnel(
        "replay", ROOT / "scenarios" / "review_gate" / "review-again-blocks.yaml", INDEPENDENT["review_gate_bash"],
        "--against", "reference", "--diff",
    )  # fmt: skip
    assert "part" in ran.out
