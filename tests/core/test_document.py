"""YAML that a person wrote: a key that stands twice is refused, for one of the two would be forgotten."""

import pytest
import yaml

from harness.core.document import NotYAMLError, parse_yaml

NESTED = "\n".join(f"k{n}: [[1]]" for n in range(2_000))  # more brackets than the fast loader is trusted with


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: 2\na: 3\n",
        "x: {a: 1, a: 1}",
        "- {a: {b: 1, b: 2}}",
        "'a': 1\na: 2\n",
        "1: x\n0x1: y\n",
        f"{NESTED}\nk7: 1\n",
    ],
    ids=["block", "flow", "deep", "quoted", "a number written twice", "with the slow loader"],
)
def test_a_key_that_is_given_twice_is_refused_and_named(text):
    with pytest.raises(NotYAMLError, match=r"the key .* is given twice"):
        parse_yaml(text)
    with pytest.raises(NotYAMLError, match=r"line \d+"):
        parse_yaml(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "a: {k: 1}\nb: {k: 2}\n",
        "a: &x {k: 1}\nb: {<<: *x, k: 2}\n",
        "a: &x {k: 1}\nc: &y {l: 1}\nb: {<<: *x, <<: *y}\n",
        "[]",
        NESTED,
    ],
    ids=["in two mappings", "a merged key overridden", "merged twice", "no mapping", "long"],
)
def test_everything_else_says_what_it_said(text):
    assert yaml.safe_load(text) == parse_yaml(text)


def test_a_key_that_no_mapping_can_have_is_refused():
    with pytest.raises(NotYAMLError, match="unhashable"):
        parse_yaml("{[1]: 2, [1]: 3}")
