"""Plugins that print, exit, hang, talk too much or were written for another purex."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from purex.errors import PluginError
from purex.plugins import build, registry
from purex.plugins.loader import load
from purex.plugins.switches import Switches

GOOD = """
@hookimpl
def purex_queries():
    yield QueryRecord(name="good", factory=make, summary="A good one.")
"""
PRINTING = """
print("hello from the import")

def build_it(n_arms):
    print("hello from the factory")
    from purex_plugins.best_arm import BestArm
    return BestArm(n_arms)

@hookimpl
def purex_queries():
    print("hello from the hook")
    yield QueryRecord(name="loud", factory=build_it, summary="A query that talks.")
"""
EXITING = """
import sys

def leave(n_arms):
    sys.exit(7)

@hookimpl
def purex_queries():
    yield QueryRecord(name="leaving", factory=leave, summary="A query that leaves.")
"""


def purex(*arguments, path):
    where = os.pathsep.join([*path, os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "purex.cli", *arguments]
    environment = os.environ | {"PYTHONPATH": where}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("api", ["2", "0", "'1'", "1.0", "None", "True"])
def test_a_plugin_for_another_version_of_the_api_is_set_aside(distribute, api):
    distribute("acme", colour=f"PUREX_API = {api}\n" + GOOD, other=GOOD.replace("good", "fine"))
    loaded = load(Switches())
    (plugin,) = [plugin for plugin in loaded.plugins if plugin.id == "acme:colour"]
    assert plugin.status == "failed"
    assert not plugin.records
    (problem,) = plugin.problems
    assert (
        f"plugin acme:colour 1.0 is written for version {ast.literal_eval(api)!r} of the plugin API"
        in str(problem)
    )
    assert "this purex has version 1" in str(problem)
    (other,) = [plugin for plugin in loaded.plugins if plugin.id == "acme:other"]
    assert (other.status, other.api) == ("ok", 1)


def test_a_plugin_that_states_the_present_version(distribute):
    distribute("acme", colour="PUREX_API = 1\n" + GOOD)
    registry.cache_clear()
    assert registry().get("query", "acme:good").version == "1.0"


def test_what_plugins_print_does_not_spoil_json(distribute):
    site = distribute("acme", colour=PRINTING)
    listed = purex("list", "queries", "--json", path=[site])
    assert "loud" in {item["name"] for item in json.loads(listed.stdout)}
    assert "hello from the import" in listed.stderr
    assert "hello from the hook" in listed.stderr
    arguments = ["--family", "bernoulli", "--query", "loud", "--means", "0.5,0.3", "--json"]
    answer = purex("respond", *arguments, path=[site])
    assert json.loads(answer.stdout)["answer"] == {"code": 0, "label": "arm 0"}
    assert "hello from the factory" in answer.stderr


def test_a_factory_that_exits_is_a_failure(distribute, capsys):
    site = distribute("acme", colour=EXITING)
    with pytest.raises(PluginError, match=r"the factory of 'acme:leaving' .*SystemExit\(7\)"):
        build("query", "leaving", n_arms=2)
    arguments = ["--family", "bernoulli", "--query", "leaving", "--means", "0.5,0.3"]
    run = purex("respond", *arguments, path=[site])
    assert run.returncode == 2
    assert "acme:leaving" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_plugin_that_takes_long_is_named(distribute):
    """Three seconds are waited for; the line says for whom, and everything works afterwards."""
    site = distribute("acme", colour="import time\ntime.sleep(3)\n" + GOOD)
    run = purex("list", "queries", "--json", path=[site])
    assert "good" in {item["name"] for item in json.loads(run.stdout)}
    lines = [line for line in run.stderr.splitlines() if "still waiting" in line]
    assert lines == [
        "purex: still waiting for plugin acme:colour 1.0 to be loaded; "
        "PUREX_DISABLE_PLUGINS=acme:colour leaves it out"
    ]


def test_a_summary_of_twelve_megabytes_is_cut(distribute):
    summary = '"which? " * 2_000_000'
    site = distribute("acme", colour=GOOD.replace('"A good one."', summary))
    for arguments in (["list", "queries"], ["list", "queries", "--json"], ["show", "good"]):
        run = purex(*arguments, path=[site])
        assert run.returncode == 0
        assert len(run.stdout) < 20_000
        assert "(14000000 characters)" in " ".join(run.stdout.split())


def test_the_listing_shows_the_version_of_the_api(distribute):
    site = distribute("acme", colour=GOOD, other="PUREX_API = 9\n" + GOOD)
    assert Path(site).is_dir()
    plugins = {p["id"]: p for p in json.loads(purex("plugins", "--json", path=[site]).stdout)["plugins"]}
    assert (plugins["acme:colour"]["api"], plugins["acme:colour"]["status"]) == (1, "ok")
    assert (plugins["acme:other"]["api"], plugins["acme:other"]["status"]) == (9, "failed")
    assert plugins["purex-bandits:best-arm"]["api"] == 1
