"""`purex bound`: the table has the numbers of the JSON, the largest share first."""

import json

import pytest

GIVEN = ["--family", "gaussian", "--query", "best-arm", "--means", "1,0.5", "--box", "0,2", "--delta", "0.01"]


def test_the_table_says_what_the_json_says(purex):
    found = json.loads(purex("bound", *GIVEN, "--json").stdout)
    head, _, table = purex("bound", *GIVEN).stdout.partition("\n\n")
    words = {line[:18].strip(): line[18:] for line in head.splitlines()}
    assert words["T_0"] == f"{found['T0']:,}"
    assert words["bound on E[tau]"].startswith(f"{found['expected']:,.0f} = ")
    rows = [line.split(" %", 1) for line in table.splitlines()[1:]]
    shares = [float(share) for share, _ in rows]
    assert shares == sorted(shares, reverse=True)
    assert shares == pytest.approx(sorted((100 * x for x in found["terms"].values()), reverse=True), rel=0.01)
    assert {name.strip(): float(share) for share, name in rows} == pytest.approx(
        {name: 100 * share for name, share in found["terms"].items()}, rel=0.01
    )
    assert float(found["constants"]["value"]) == pytest.approx(0.25 / 8)


def test_with_costs_it_is_the_cost_that_is_bounded(purex):
    costly = [*GIVEN, "--algorithm", "sharp", "--actions", "costs([2, 6])"]
    found = json.loads(purex("bound", *costly, "--json").stdout)
    assert found["expected_cost"] == pytest.approx(2 * found["expected"])
    assert float(found["constants"]["largest_cost"]) == 3
    # two Gaussian arms: gap^2/(2 (1 + sqrt(3))^2) for a unit of the least cost
    assert float(found["constants"]["value"]) == pytest.approx(0.125 / (1 + 3**0.5) ** 2)
    text = purex("bound", *costly).stdout
    assert f"{found['T0']:,} units of the least cost, 2" in text
    assert f"{found['expected_cost']:,.0f} = 2 (T_0 + 1 + c (1 + 2eK/a^2)), c = 3" in text


def test_what_has_no_bound_with_actions(purex):
    for more in (["--actions", "[[0, 1], [1]]", "--algorithm", "sharp"], ["--actions", "costs([1, 2])"]):
        refused = purex("bound", *GIVEN, *more)
        assert refused.exit_code == 2
        assert "T_0 is proved for" in refused.stderr


def test_arms_of_different_variances_have_a_bound(purex):
    """The Chernoff informations x^2/4 and y^2/16 agree at y = 2x, a third of the way."""
    given = [*GIVEN, "--json"]
    given[1] = "gaussian(1); gaussian(4)"
    found = json.loads(purex("bound", *given).stdout)
    assert float(found["constants"]["epsilon"]) == pytest.approx((0.5 / 3) ** 2 / 4)
