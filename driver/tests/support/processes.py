"""Processes by their parent and their command."""

from pathlib import Path


def find_child(parent: int, word: str) -> int:
    """Return the process under `parent` whose command holds `word`."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and word in (folder / "cmdline").read_text().replace("\0", " "):
            status = (folder / "status").read_text()
            if f"PPid:\t{parent}\n" in status:
                return int(folder.name)
    raise AssertionError(f"no child of {parent} runs {word}")
