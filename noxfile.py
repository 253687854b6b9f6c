"""The tests in environments of their own: `nox -s tests lowest newest` (see also the Makefile)."""

import nox

PYTHONS = ["3.11", "3.12", "3.13"]
nox.options.sessions = ["tests"]
nox.options.error_on_missing_interpreters = False  # those that are installed


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Every test, as `make test` runs them."""
    session.install("-e", ".[dev]")
    session.run("pytest", "-m", "not full", *session.posargs)


@nox.session(python="3.11")
def lowest(session: nox.Session) -> None:
    """Every command, and the tests of some rooms, with the lowest versions that pyproject.toml allows."""
    session.run("make", "test-lowest", f"PYTHON={session.virtualenv.bin}/python", external=True)


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The same with the newest versions."""
    version = str(session.python)
    session.run(
        "make",
        "test-newest",
        f"PYTHON={session.virtualenv.bin}/python",
        f"NEWEST=.venv-{version}",
        external=True,
    )
