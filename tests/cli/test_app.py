"""The program as a whole: help, errors, exit statuses, commands of plugins."""

from __future__ import annotations

import inspect
import os
import shlex
import subprocess
import sys

import click
import pytest

from purex.cli.app import App
from purex.cli.main import COMMANDS, app
from purex.errors import InvalidInputError

PROGRAM = [sys.executable, "-m", "purex.cli"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_json_and_an_example(name, purex):
    lazy = COMMANDS[name]
    command = lazy.load()
    assert lazy.summary == inspect.cleandoc(command.help or "").splitlines()[0]
    shown = purex(name, "--help")
    assert shown.exit_code == 0
    assert "--json" in shown.output
    assert f"Example: purex {name}" in shown.output


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_lists_the_commands(arguments, purex):
    shown = purex(*arguments)
    assert shown.exit_code == 0
    assert all(name in shown.output for name in COMMANDS)


@pytest.mark.parametrize("name", ["solve", "respond", "list", "show"])
def test_the_examples_of_the_contents_work(name, purex):
    """Those that need no file and little time."""
    shown = purex(name, *shlex.split(COMMANDS[name].example))
    assert shown.exit_code == 0, shown.output


def test_the_shell_completes_commands_and_names():
    def complete(words):
        environment = {
            **os.environ,
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
            "_PUREX_COMPLETE": "bash_complete",
        }
        program = [sys.executable, "-c", "from purex.cli.main import app; app(prog_name='purex')"]
        done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
        return {line.partition(",")[2] for line in done.stdout.splitlines()}

    assert {"simulate", "solve", "show"} <= complete(["purex", "s"])
    assert {"D-C", "D1-C"} <= complete(["purex", "simulate", "--rule", "D"])
    assert complete(["purex", "solve", "--query", "best-a"]) == {"best-arm"}


def test_help_imports_nothing_heavy():
    """The promise of `purex --help`; a stranger's plugin may break it, ours may not."""
    code = (
        "import sys\n"
        "import purex.cli.extra\n"
        "purex.cli.extra.strangers_are_installed = lambda: False\n"
        "from purex.cli.main import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'numba', 'cvxpy', 'sympy', 'rich', 'pluggy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_our_own_distribution_is_no_stranger(monkeypatch):
    from importlib import metadata

    from purex.cli.extra import strangers_are_installed

    class Ours:
        dist = metadata.Distribution

    Ours.dist = type("D", (), {"name": "purex-bandits"})  # type: ignore[misc,assignment]
    monkeypatch.setattr(metadata, "entry_points", lambda group: [Ours])
    assert not strangers_are_installed()
    monkeypatch.setattr(metadata, "entry_points", lambda group: 1 / 0)
    assert strangers_are_installed()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["lst"], "purex: there is no command named 'lst'; did you mean 'list'?"),
        (["show"], "purex: Missing argument 'NAME' (see purex show --help)"),
        (["list", "querys"], "purex: there is no kind named 'querys'; did you mean 'queries'?"),
        (["list", "queries", "--jsn"], "purex: No such option"),
        (["--nonsense"], "purex: No such option"),
        (["show", "no-such-thing-at-all"], "purex: there is no thing named"),
        (["show", "x", "--kind", "ruel"], "purex: there is no kind named 'ruel'; did you mean"),
    ],
)
def test_refused_input_is_one_sentence_and_status_2(arguments, sentence, purex):
    result = purex(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith(sentence)


def test_refused_input_in_a_process_of_its_own():
    result = subprocess.run([*PROGRAM, "list", "qeries"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("purex: there is no kind named 'qeries'")


def one_command(function) -> App:
    group = App({}, name="purex")
    group.get_command = lambda ctx, name: click.command("run")(function)  # type: ignore[method-assign]
    return group


def raising(error: BaseException):
    def command() -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("function", "status", "stderr"),
    [
        (lambda: None, 0, ""),
        (lambda: 1, 1, ""),
        (lambda: click.get_current_context().exit(1), 1, ""),
        (raising(InvalidInputError("two\nlines")), 2, "purex: two lines\n"),
        (raising(click.ClickException("no")), 2, "purex: no\n"),
        (raising(click.UsageError("no.")), 2, "purex: no (see purex run --help)\n"),
    ],
)
def test_exit_statuses(function, status, stderr, capsys):
    with pytest.raises(SystemExit) as caught:
        one_command(function)(["run"], prog_name="purex")
    assert caught.value.code == status
    assert capsys.readouterr().err == stderr


def test_an_interrupt_ends_with_130(capsys):
    with pytest.raises(SystemExit) as caught:
        one_command(raising(KeyboardInterrupt()))(["run"], prog_name="purex")
    assert caught.value.code == 130
    assert capsys.readouterr().err.strip() == ""


def test_a_bug_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        one_command(raising(ZeroDivisionError()))(["run"], prog_name="purex")


def test_a_reader_that_has_seen_enough_is_no_error():
    code = (
        "import click, purex.cli.main as m\n"
        "@click.command('run')\n"
        "def run():\n"
        "    for i in range(100000): click.echo(i)\n"
        "m.app.get_command = lambda ctx, name: run\n"
        "m.app(['run'])\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    assert writer.stdout.readline() == "0\n"
    writer.stdout.close()
    assert writer.stderr.read() == ""
    writer.stderr.close()
    assert writer.wait() == 141


def test_a_loader_imports_its_own_command():
    names = {name: lazy.load().name for name, lazy in COMMANDS.items()}
    assert names == {name: name for name in COMMANDS}


COMMAND = """
import click
from purex.plugins import hookimpl

@hookimpl
def purex_commands(app):
    @app.command()
    def greet():
        "Say hello."
        click.echo("hello")
"""


def test_a_plugin_adds_a_command(purex, stranger):
    stranger(COMMAND)
    assert purex("greet").output == "hello\n"
    shown = purex("--help").output
    assert "greet" in shown
    assert "Say hello." in shown


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (COMMAND + "    1 / 0\n", "plugin acme:colour 1.2 failed in its hook purex_commands"),
        (COMMAND + "    raise SystemExit\n", "plugin acme:colour 1.2 failed in its hook"),
        (COMMAND.replace("greet", "show"), "adds the command 'show', which exists already"),
        ("import no_such_module", "plugin acme:colour 1.2 cannot be imported"),
    ],
)
def test_a_failing_plugin_does_not_break_the_program(source, sentence, purex, stranger):
    stranger(source)
    for arguments in (["--help"], ["no-such-command"]):
        result = purex(*arguments)
        assert result.exit_code == (0 if arguments == ["--help"] else 2)
        assert result.stderr.count(sentence) == 1
    assert "Show everything about one name." in purex("--help").stdout


def test_the_table_is_what_the_program_runs():
    assert app.table is COMMANDS
