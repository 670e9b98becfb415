"""The text of one figure: three digits or so, which is what a person compares. The CSV has the rest."""

from loopfloor.publish.tables import round_figure

Value = str | int | float | None

MISSING = "–"
PER_CENT = {"busy", "expected_busy", "goodput_of_capacity"}
AT_LEAST = "≥ "


def format_cell(value: Value, column: str) -> str:
    if value is None:
        return MISSING
    if isinstance(value, float):
        value = round_figure(value)  # as the CSV has it, so that both round to the same text
    if column.endswith("_share") or column in PER_CENT:
        return f"{float(value) * 100:.1f}"
    if not isinstance(value, float):
        return str(value)
    decimals = 2 if abs(value) < 20 else 1 if abs(value) < 100 else 0
    return f"{value:+.{decimals}f}" if column.startswith("excess") else f"{value:.{decimals}f}"


def find_column(figure: Value) -> str:
    """Return the column that a figure's name ends with: of `ramp second 7 latency_p50_ms`, the last word."""
    return str(figure).rsplit(" ", 1)[-1]
