"""Finding entry points in distributions, sound and unsound."""

from __future__ import annotations

from pathlib import Path

from purex.plugins.discovery import discover, version_of


def test_a_distribution_seen_twice_counts_once_and_the_first_one_wins(distribute):
    first = distribute("acme", version="2.0", folder="new", colour="")
    second = distribute("acme", version="1.0", folder="old", colour="", shape="")
    found, problems = discover([first, second])
    assert [(name, version_of(entry)) for name, entry in found.items()] == [("acme:colour", "2.0")]
    assert problems == []


def test_malformed_metadata_spoils_only_its_own_distribution(distribute):
    acme = distribute("acme", colour="")
    malformed, nameless = distribute("zeta"), distribute("omega")
    info = Path(malformed) / "zeta-1.0.dist-info"
    (info / "entry_points.txt").write_text("[purex]\nno equals sign\n")
    (Path(nameless) / "omega-1.0.dist-info" / "METADATA").unlink()
    other = distribute("unrelated")
    (Path(other) / "unrelated-1.0.dist-info" / "entry_points.txt").write_text("[other]\nx\n")
    found, problems = discover([acme, malformed, nameless, other])
    assert list(found) == ["acme:colour"]
    told = sorted(map(str, problems))
    assert len(told) == 2
    assert told[0] == "distribution zeta has malformed entry points"
    assert "omega-1.0.dist-info cannot be read" in told[1]


def test_an_entry_declared_twice_is_reported(distribute):
    folder = distribute("acme", colour="")
    with (Path(folder) / "acme-1.0.dist-info" / "entry_points.txt").open("a") as file:
        file.write("colour = elsewhere\n")
    found, problems = discover([folder])
    assert list(found) == ["acme:colour"]
    assert "declares the entry point 'colour' twice" in str(problems[0])
