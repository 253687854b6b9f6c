"""The commands that are given as JSON on the standard input, run where no extra is installed.

Prints a list of [exit status, what was written on stderr]. A test runs this in a process of its own.
"""

import json
import sys

from purex.extras import PACKAGES

ABSENT = {package for packages in PACKAGES.values() for package in packages} | {"pandas"}


class NotInstalled:
    """Finds that the packages of extras are not there, whoever asks."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main():
    from click.testing import CliRunner

    from purex.cli.main import app

    done = [CliRunner().invoke(app, arguments) for arguments in json.load(sys.stdin)]
    print(json.dumps([[result.exit_code, result.stderr] for result in done]))


if __name__ == "__main__":
    sys.meta_path.insert(0, NotInstalled())
    main()
