"""The pages: each one file that opens from disk. `report.html` of a run, and that of a comparison."""

from loopfloor.publish.page.comparison import format_comparison_page
from loopfloor.publish.page.page import Page, format_page, strip_pictures
from loopfloor.publish.page.progress import format_progress

__all__ = ["Page", "format_comparison_page", "format_page", "format_progress", "strip_pictures"]
