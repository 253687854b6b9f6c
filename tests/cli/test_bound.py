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
