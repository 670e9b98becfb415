"""Bad input: one clear message that lists every fault, before any load, and the documented exit code."""

from pathlib import Path

import pytest

from support import servers
from support.command import loopfloor
from support.plans import write_plan


def test_a_bad_plan_is_2_and_names_every_fault(tmp_path: Path) -> None:
    done = loopfloor("run", "--plan", "nope", "--scenarios", "pear,apple", "--results", str(tmp_path))
    assert done.returncode == 2
    assert [word for word in ("nope", "pear", "apple") if word not in done.stderr] == []
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_target_is_2_and_names_those_there_are(tmp_path: Path) -> None:
    done = loopfloor("run", "--stage", "process", "--targets", "nodes,asincio", "--results", str(tmp_path))
    assert done.returncode == 2
    for word in ("'nodes'", "'asincio'", "asyncio, uvloop, node"):
        assert word in done.stderr


def test_a_results_folder_that_cannot_be_written_is_2_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file is no folder")
    done = loopfloor("run", "--stage", "process", "--plan", "smoke", "--results", str(tmp_path / "results"))
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "--results" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["run", "--stage", "moon"], ["run", "--stage", "url"], ["runn"], ["run", "--seed", "x"], ["report", "latest"]],
)
def test_wrong_usage_is_2(tmp_path: Path, arguments: list[str]) -> None:
    more = ["--results", str(tmp_path)] if arguments[0] != "runn" else []
    done = loopfloor(*arguments, *more)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr


def test_a_target_that_never_becomes_ready_is_3_before_any_load(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "mute", ready_within_s=2)
    with servers.serve(servers.never) as port:
        done = loopfloor(
            "run", "--stage", "url", "--targets", f"mute=http://127.0.0.1:{port}", "--plan", str(plan),
            "--results", str(tmp_path / "results"),
        )  # fmt: skip
    assert done.returncode == 3
    assert "mute did not become ready within 2 s" in done.stderr
    assert list((tmp_path / "results" / "runs").iterdir()) == []


def test_a_mix_of_names_and_urls_is_2(tmp_path: Path) -> None:
    done = loopfloor("run", "--stage", "url", "--targets", "a,b=http://127.0.0.1:1", "--results", str(tmp_path))
    assert done.returncode == 2
    assert "either every target has a URL or none has" in done.stderr


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "ftp://x", "127.0.0.1:8080", "http://no..such.host:1"])
def test_conform_of_no_url_is_2(url: str) -> None:
    done = loopfloor("conform", url)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_conform_of_nobody_is_3() -> None:
    with servers.serve(servers.respond()) as port:
        pass
    done = loopfloor("conform", f"http://127.0.0.1:{port}")
    assert done.returncode == 3
    assert "does not answer" in done.stderr


@pytest.mark.parametrize("columns", ["", "abc", "0", "200"])
def test_any_width_will_do(tmp_path: Path, columns: str) -> None:
    done = loopfloor("report", "latest", "--results", str(tmp_path), environment={"COLUMNS": columns})
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_conform_of_what_is_no_target_is_5_and_never_a_crash() -> None:
    with servers.serve(servers.respond()) as port:
        done = loopfloor("conform", f"http://127.0.0.1:{port}")
    assert done.returncode == 5
    assert "BROKEN" in done.stdout
    assert "Traceback" not in done.stderr + done.stdout
    assert "differs from the contract" in done.stderr
