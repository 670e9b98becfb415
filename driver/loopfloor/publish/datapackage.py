"""`datapackage.json`: a Frictionless Data Package of every CSV, so that it loads without a guess.

Made from the same columns as the CSV files and the data dictionary, so that the three cannot part.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from loopfloor.publish.columns import KEYS, TABLES
from loopfloor.publish.columns.column import find_unit

LICENCE = {
    "name": "CC-BY-4.0",
    "path": "https://creativecommons.org/licenses/by/4.0/",
    "title": "Creative Commons Attribution 4.0",
}
# What a column of one table names in another.
REFERENCES: Mapping[str, Sequence[tuple[Sequence[str], str, Sequence[str]]]] = {
    "trials": [(("run_id", "target"), "targets", ("run_id", "target"))],
    "medians": [(("run_id", "target"), "targets", ("run_id", "target"))],
    "claims": [
        (("run_id", "target_a"), "targets", ("run_id", "target")),
        (("run_id", "target_b"), "targets", ("run_id", "target")),
    ],
}
OF_A_TRIAL = [(("run_id", "trial"), "trials", ("run_id", "trial"))]


def format_package(run_id: str, started_at: str, conditions: str, files: Mapping[str, str]) -> str:
    """Return the descriptor of a run's CSV files, given with their text."""
    tables = [name for name in TABLES if f"{name}.csv" in files]
    package = {
        "profile": "tabular-data-package",
        "name": f"loopfloor-{run_id.lower()}",
        "title": f"loopfloor run {run_id}: event loop delay beside its floor, and latency beside both",
        "description": conditions,
        "created": started_at,
        "licenses": [LICENCE],
        "resources": [describe_resource(name, files[f"{name}.csv"], tables) for name in tables],
    }
    return json.dumps(package, indent=2, ensure_ascii=False) + "\n"


def describe_resource(table: str, text: str, tables: Sequence[str]) -> dict[str, Any]:
    content = text.encode("utf-8")
    return {
        "profile": "tabular-data-resource",
        "name": table,
        "path": f"{table}.csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": f"sha256:{sha256(content).hexdigest()}",
        "dialect": {"delimiter": ",", "quoteChar": '"', "doubleQuote": True, "lineTerminator": "\n"},
        "schema": describe_schema(table, tables),
    }


def describe_schema(table: str, tables: Sequence[str]) -> dict[str, Any]:
    keys = KEYS[table]
    fields = []
    for name, column in TABLES[table].items():
        field: dict[str, Any] = {"name": name, "type": column.kind, "description": column.meaning}
        if unit := find_unit(name, column):
            field["unit"] = unit
        if name in keys:
            field["constraints"] = {"required": True}
        fields.append(field)
    schema: dict[str, Any] = {"fields": fields, "missingValues": [""], "primaryKey": list(keys)}
    if foreign := [
        {"fields": list(own), "reference": {"resource": other, "fields": list(theirs)}}
        for own, other, theirs in list_references(table)
        if other in tables
    ]:
        schema["foreignKeys"] = foreign
    return schema


def list_references(table: str) -> Sequence[tuple[Sequence[str], str, Sequence[str]]]:
    """Every table of a scenario names trials; the others what REFERENCES says."""
    return OF_A_TRIAL if "trial" in TABLES[table] and table != "trials" else REFERENCES.get(table, [])
