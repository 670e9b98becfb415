"""A real browser that opens a page from disk, keeps what it complains about, and has no network."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

CHROMIUM = "/usr/bin/chromium"
PHONE, DESK = 390, 1280


@dataclass(frozen=True)
class Opened:
    """A page, with everything that it wrote to its console and every address that it asked for beyond itself."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for a module: its loop runs as long as it is open, and an async test cannot have another beside it."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@contextmanager
def open_page(browser: Browser, path: Path, *, width: int = DESK, dark: bool = False) -> Iterator[Opened]:
    with browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        permissions=["clipboard-read", "clipboard-write"],
    ) as context:
        opened = Opened(context.new_page())
        opened.page.on("console", lambda message: opened.complaints.append(message.text))
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))

        def answer(route: Route) -> None:
            if route.request.url.startswith(("file:", "data:")):
                route.continue_()
            else:
                opened.requests.append(route.request.url)
                route.abort()

        context.route("**/*", answer)
        opened.page.goto(path.resolve().as_uri())
        yield opened
