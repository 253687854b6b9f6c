"""Ctrl-C at the moments at which Python alone would lose it."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")

SIMULATE = ["simulate", "--family", "gaussian", "--query", "best-arm", "--means", "1,0", "--rule", "RR",
            "--runs", "2"]  # fmt: skip
# LLVM hands over the code it has made, in a function that no exception can leave
IN_A_CALLBACK = """
import signal
from numba.core.codegen import JITCodeLibrary
handed = JITCodeLibrary._object_compiled_hook
def interrupted(module, code, times=[]):
    if not times:
        times.append(1)
        signal.raise_signal(signal.SIGINT)
    handed(module, code)
JITCodeLibrary._object_compiled_hook = interrupted
"""
# LLVM has freed a module, which llvmlite is about to take note of
BEFORE_A_NOTE = """
import signal
from llvmlite.binding.linker import ffi
link = ffi.lib.LLVMPY_LinkModules
def interrupted(*arguments, times=[]):
    error = link(*arguments)
    if not times:
        times.append(1)
        signal.raise_signal(signal.SIGINT)
    return error
ffi.lib._fntab["LLVMPY_LinkModules"] = interrupted
"""
IN_A_DESTRUCTOR = """
import signal, time
from purex.cli import list as listing
class Dying:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
def kind_named(name):
    Dying()
    time.sleep(20)
listing.kind_named = kind_named
"""


def program(before, arguments, cache, handler=signal.SIG_DFL):
    """Run the program after some lines of Python, as a shell would start it."""
    code = (
        f"{before}\nimport sys\nfrom purex.cli.main import main\nsys.argv = ['purex', *{arguments!r}]\nmain()"
    )
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PUREX_CACHE_DIR": str(cache)}, text=True,
        capture_output=True, timeout=300, preexec_fn=lambda: signal.signal(signal.SIGINT, handler),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "arguments"),
    [(IN_A_CALLBACK, SIMULATE), (BEFORE_A_NOTE, SIMULATE), (IN_A_DESTRUCTOR, ["list", "queries"])],
    ids=["callback", "freed", "destructor"],
)
def test_ctrl_c_where_no_exception_can_be_raised(before, arguments, tmp_path):
    found = program(before, arguments, tmp_path)
    assert (found.returncode, found.stdout) == (130, ""), found.stderr
    assert "Traceback" not in found.stderr
    assert "ignored" not in found.stderr


def test_who_was_started_to_ignore_ctrl_c_goes_on(tmp_path):
    """As by nohup, or in the background of a script."""
    before = "import signal\nsignal.raise_signal(signal.SIGINT)\n"
    found = program(before, ["list", "queries"], tmp_path, handler=signal.SIG_IGN)
    assert found.returncode == 0
    assert "best-arm" in found.stdout


def test_other_exceptions_that_cannot_be_raised_are_told_as_ever(tmp_path):
    before = IN_A_DESTRUCTOR.replace("signal.raise_signal(signal.SIGINT)", "raise ValueError('odd')")
    before = before.replace("time.sleep(20)", "raise SystemExit(0)")
    found = program(before, ["list", "queries"], tmp_path)
    assert found.returncode == 0
    assert "ValueError: odd" in found.stderr
