"""What was measured, on disk: the run folder and the form of its raw files."""

from loopfloor.record.folder import RunFolder, check_writable, create_run, find_run

__all__ = ["RunFolder", "check_writable", "create_run", "find_run"]
