"""`summary.md`: what one pastes into a decision record: conditions, answers, claims, doubts, and the tables."""

from collections.abc import Iterable, Mapping, Sequence

from loopfloor.publish.answers import Answer, word_answers
from loopfloor.publish.printed import Cell, PrintedRow, PrintedSheet, print_sheets
from loopfloor.publish.sheets import Row, Sheet

QUESTION = "How late does the event loop run work under this load, and is the difference real?"


def format_markdown(run_id: str, conditions: str, tables: Mapping[str, Sequence[Row]], notes: Iterable[str]) -> str:
    """Return the file."""
    lines = [f"# loopfloor run {run_id}", "", QUESTION, "", escape(conditions), ""]
    lines += format_answers(word_answers(tables))
    noted = [f"- {escape(note)}" for note in notes]
    lines += ["## Doubts", "", *noted, ""] if noted else []
    for printed in print_sheets(tables):
        lines += format_sheet(printed)
    return "\n".join(lines)


def format_answers(answers: Iterable[Answer]) -> list[str]:
    lines = [f"- {answer.subject}: {escape(answer.text)}" for answer in answers]
    return ["## Answers", "", *lines, ""] if lines else []


def format_sheet(printed: PrintedSheet) -> list[str]:
    sheet = printed.sheet
    rounds = f" Medians of {printed.rounds} rounds, least to greatest in brackets." if printed.rounds > 1 else ""
    return [
        f"## {sheet.title}",
        "",
        f"{sheet.reading}{rounds}",
        "",
        format_head(sheet),
        *(format_row(row) for row in printed.rows),
        "",
    ]


def format_head(sheet: Sheet) -> str:
    headings = ["case", "target", *(figure.heading.replace(", ", " / ") for figure in sheet.figures), "verdict, doubts"]
    return f"| {' | '.join(headings)} |\n| --- | --- |{' ---: |' * len(sheet.figures)} --- |"


def format_row(row: PrintedRow) -> str:
    figures = [" / ".join(map(word_cell, cells)) for cells in row.figures]
    return f"| {' | '.join([row.case, row.target, *figures, row.remarks])} |"


def word_cell(cell: Cell) -> str:
    return f"{cell.text} ({cell.range})" if cell.range else cell.text


def escape(text: str) -> str:
    """Text from outside must not become a table, a link or an element."""
    for sign in ("\\", "|", "<", "[", "`"):
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
