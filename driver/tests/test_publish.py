"""What is written: CSV that reads back the same anywhere, and a summary that says what is missing."""

import csv
import io
import locale
from pathlib import Path

import pytest

from loopfloor.derive import derive_tables
from loopfloor.publish.columns import TABLES
from loopfloor.publish.dictionary import format_dictionary
from loopfloor.publish.tables import format_table, format_value
from loopfloor.report import publish
from support.arrays import make_samples
from support.records import WINDOW, make_record, make_run


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (0.1, "0.1"), (9.10, "9.1"), (1 / 3, "0.3333333"), (1234567.89, "1234568.0"), (7, "7"), ("a", "a")],
)
def test_a_value_has_one_text(value: object, text: str) -> None:
    assert format_value(value) == text  # type: ignore[arg-type]


def test_text_with_commas_quotes_and_signs_reads_back_the_same() -> None:
    row = {"run_id": 'a,"b"\nµ', "round": 1, "target": "9.10", "case": "x;y"}
    text = format_table("pair", [row])
    assert "\r" not in text
    back = next(csv.DictReader(io.StringIO(text, newline="")))
    assert [back[name] for name in row] == ['a,"b"\nµ', "1", "9.10", "x;y"]


def test_a_locale_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locale, "localeconv", lambda: {"decimal_point": ","})
    assert format_value(1.5) == "1.5"


def test_a_blank_keeps_its_column() -> None:
    lines = format_table("pair", [{"run_id": "r", "latency_p999_ms": None, "latency_max_ms": 2.0}]).splitlines()
    header, row = next(csv.reader([lines[0]])), next(csv.reader([lines[1]]))
    assert len(header) == len(row)
    assert row[header.index("latency_p999_ms")] == ""
    assert row[header.index("latency_max_ms")] == "2.0"


def test_a_figure_without_a_column_is_an_error() -> None:
    with pytest.raises(KeyError, match="surprise"):
        format_table("pair", [{"surprise": 1}])


def test_headers_are_ascii_and_carry_their_units() -> None:
    for table, columns in TABLES.items():
        for name, column in columns.items():
            assert name.isascii()
            assert name == name.lower()
            ratio = name.endswith(("busy", "_of_capacity")) or name.startswith(("times_", "over_ideal"))
            own = table in ("claims", "medians", "comparison")  # in the unit of the figure that the row names
            if column.kind == "number" and not ratio and not own:
                assert name.endswith(("_ms", "_s", "_per_s", "_share")), name


def test_a_failed_trial_is_a_row_with_a_key_and_blanks(tmp_path: Path) -> None:
    failed = make_record("r1-node-pair-noop-x1").model_copy(
        update={"status": "failed", "reason": "it fell", "window": None}
    )
    run = make_run(tmp_path, [failed])
    publish(run)
    row = next(csv.DictReader(io.StringIO((run.path / "pair.csv").read_text(encoding="utf-8"), newline="")))
    assert (row["trial"], row["status"]) == ("r1-node-pair-noop-x1", "failed")
    assert row["latency_p50_ms"] == row["gap_p50_ms"] == row["intended"] == ""
    assert "r1-node-pair-noop-x1 failed: it fell" in (run.path / "summary.md").read_text()


def test_a_floor_follows_from_raw_files_alone(tmp_path: Path) -> None:
    run = make_run(tmp_path, [make_record("r1-node-floor-idle-10ms")])
    run.write_samples("r1-node-floor-idle-10ms", make_samples([10.2] * 97), WINDOW)
    (row,) = derive_tables(run)["floor"]
    assert row["gap_p50_ms"] == 10.2
    assert row["over_interval_p50_ms"] == pytest.approx(0.2)
    assert row["busy"] == 0.5
    assert row["doubts"] == "few_samples"


def test_the_data_dictionary_on_the_page_is_the_one_in_the_code() -> None:
    page = Path(__file__).parents[2] / "results" / "README.md"
    assert page.read_text(encoding="utf-8") == format_dictionary()
