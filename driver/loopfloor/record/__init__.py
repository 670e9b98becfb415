"""What was measured, on disk: the run folder and the form of its raw files."""

from loopfloor.record.folder import Folder, RunFolder, check_writable, create_run, find_run, make_compared
from loopfloor.record.manifest import Host, Manifest, Source

__all__ = [
    "Folder",
    "Host",
    "Manifest",
    "RunFolder",
    "Source",
    "check_writable",
    "create_run",
    "find_run",
    "make_compared",
]
