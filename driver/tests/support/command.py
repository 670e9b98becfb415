"""The `loopfloor` command as a person runs it: a process with an exit code and two streams."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

SOURCE = Path(__file__).parents[3]


def start_loopfloor(*arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start the command; settings of this container's own environment are kept out."""
    if arguments[:1] == ("run",) and "--source" not in arguments:
        arguments = (*arguments, "--source", str(SOURCE))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LOOPFLOOR_")}
    return subprocess.Popen(
        [sys.executable, "-m", "loopfloor", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=kept | dict(environment or {}),
    )


def loopfloor(*arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    process = start_loopfloor(*arguments, environment=environment)
    out, err = process.communicate(timeout=180)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)
