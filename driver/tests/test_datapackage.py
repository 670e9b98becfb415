"""The data package: valid to the frictionless library, and the same types in pandas, polars and DuckDB."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from frictionless import Package

from loopfloor.record import RunFolder
from loopfloor.report import publish
from support.synthetic import make_short_plan, make_whole_run

PANDAS = {"string": "string", "integer": "Int64", "number": "float64"}
POLARS = {"string": pl.String, "integer": pl.Int64, "number": pl.Float64}
DUCKDB = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run with every table, in which one trial failed."""
    run = make_whole_run(tmp_path_factory.mktemp("package"), make_short_plan(2), failed={"r1-node-pair-noop-x50"})
    publish(run)
    return run


@pytest.fixture(scope="module")
def package(run: RunFolder) -> dict[str, Any]:
    return json.loads((run.path / "datapackage.json").read_text(encoding="utf-8"))


def list_kinds(resource: dict[str, Any]) -> dict[str, str]:
    return {field["name"]: field["type"] for field in resource["schema"]["fields"]}


def read_cells(run: RunFolder, resource: dict[str, Any]) -> list[dict[str, str]]:
    text = (run.path / resource["path"]).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_package_is_valid_with_every_key_checksum_and_type(run: RunFolder) -> None:
    report = Package(str(run.path / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "type", "note"])[:5]


def test_the_package_holds_every_csv_of_the_run(run: RunFolder, package: dict[str, Any]) -> None:
    assert {resource["path"] for resource in package["resources"]} == {path.name for path in run.path.glob("*.csv")}


def test_every_resource_has_a_key_and_every_column_a_description_and_a_unit_where_it_has_one(
    package: dict[str, Any],
) -> None:
    for resource in package["resources"]:
        schema = resource["schema"]
        assert schema["primaryKey"]
        assert schema["missingValues"] == [""]
        assert "foreignKeys" in schema or resource["name"] == "targets"
        for field in schema["fields"]:
            assert field["description"]
            assert not field["name"].endswith("_ms") or field["unit"] == "ms"


def test_a_broken_figure_makes_the_package_invalid(run: RunFolder, tmp_path: Path) -> None:
    for name in (*(path.name for path in run.path.glob("*.csv")), "datapackage.json"):
        (tmp_path / name).write_bytes((run.path / name).read_bytes())
    pair = (tmp_path / "pair.csv").read_text(encoding="utf-8")
    (tmp_path / "pair.csv").write_text(pair.replace(",ok,10,", ",ok,ten,", 1), encoding="utf-8")
    assert not Package(str(tmp_path / "datapackage.json")).validate().valid


def test_pandas_reads_the_right_types_and_blanks_as_missing(run: RunFolder, package: dict[str, Any]) -> None:
    for resource in package["resources"]:
        kinds = list_kinds(resource)
        frame = pd.read_csv(run.path / resource["path"], dtype={name: PANDAS[kind] for name, kind in kinds.items()})
        cells = read_cells(run, resource)
        assert len(frame) == len(cells)
        assert {name: str(frame[name].dtype) for name in kinds} == {name: PANDAS[kind] for name, kind in kinds.items()}
        for name in kinds:
            assert frame[name].isna().tolist() == [row[name] == "" for row in cells]


def test_polars_reads_the_right_types_and_blanks_as_missing(run: RunFolder, package: dict[str, Any]) -> None:
    for resource in package["resources"]:
        kinds = list_kinds(resource)
        schema = {name: POLARS[kind] for name, kind in kinds.items()}
        frame = pl.read_csv(run.path / resource["path"], schema=schema)
        assert dict(frame.schema) == schema
        for name in kinds:
            assert frame[name].is_null().to_list() == [row[name] == "" for row in read_cells(run, resource)]


def test_duckdb_reads_the_right_types_and_blanks_as_missing(run: RunFolder, package: dict[str, Any]) -> None:
    for resource in package["resources"]:
        columns = {name: DUCKDB[kind] for name, kind in list_kinds(resource).items()}
        table = duckdb.read_csv(str(run.path / resource["path"]), columns=columns, header=True)
        assert [str(kind) for kind in table.types] == list(columns.values())
        blanks = sum(value == "" for row in read_cells(run, resource) for value in row.values())
        assert sum(value is None for row in table.fetchall() for value in row) == blanks
