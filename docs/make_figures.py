"""Make the figures of the documentation again, by the commands of its gallery: some minutes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"\]\(figures/([^)]+\.png)\)")


def main() -> None:
    """Run every block of the gallery in an empty directory, and take the figures that it shows."""
    from click.testing import CliRunner

    from purex.cli.main import app

    page = (HERE / "gallery.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(HERE / "examples", Path(place) / "examples")
        os.chdir(place)
        names: dict[str, object] = {}
        for language, body in BLOCK.findall(page):
            if language == "python":
                exec(compile(body, "gallery.md", "exec"), names)
                continue
            for line in body.replace("\\\n", " ").splitlines():
                print(line, flush=True)
                result = CliRunner().invoke(app, shlex.split(line)[1:])
                if result.exit_code:
                    sys.exit(result.output)
        for figure in SHOWN.findall(page):
            shutil.copy(next(Path(place).rglob(figure)), HERE / "figures" / figure)


if __name__ == "__main__":
    main()
