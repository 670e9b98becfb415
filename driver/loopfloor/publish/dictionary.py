"""The data dictionary as a page (`results/README.md`), made from the columns so that the two cannot part.

python -m loopfloor.publish.dictionary > results/README.md
"""

from loopfloor.publish.columns import COMPARISON_TABLES, TABLES

HEAD = """\
# What the results hold

Each run is a folder `runs/<run-id>/`:

| file | what |
| --- | --- |
| `manifest.json` | schema version, plan and seed, status, git revision, host, isolation, and what each target said of itself |
| `trials.jsonl` | one line per trial, appended as it ends: what was asked, when, counters before and after, the generator on itself |
| `raw/<trial>/samples.csv.gz` | every firing of the ruler: ns since the firing before it (the first: since the start of the span), and its gap in ns, the interval included |
| `raw/<trial>/requests.csv.gz` | every request: µs since the intended send before it, µs late, µs from the send to the end, HTTP status, fate |
| `*.csv` | the tables below, all derived from the files above |
| `datapackage.json` | the same tables as a Frictionless Data Package: types, units, keys, missing values |
| `report.html` | the page: answers, doubts, tables and pictures; opens from disk |
| `charts/` | the pictures of the page, each as SVG and PNG |
| `summary.md` | the answers and the tables as Markdown |
| `alerts.rules.yml` | Prometheus rules with thresholds from this run |

`loopfloor compare A B` writes a folder `compared/<A>--<B>/` with `comparison.csv`, `side_by_side.csv`, `comparison.md` and
`comparison.html`. `reference/<run-id>/` holds the run that is published with this version. Data are under CC BY 4.0.

Loading it with the right types, blank as missing:

```python
import json, pandas
package = json.load(open("datapackage.json"))
kinds = {"string": "string", "integer": "Int64", "number": "float64"}
tables = {
    table["name"]: pandas.read_csv(
        table["path"], dtype={field["name"]: kinds[field["type"]] for field in table["schema"]["fields"]}
    )
    for table in package["resources"]
}
```

CSV: RFC 4180, UTF-8, `\\n`, dot decimals, blank for missing. Units are in the names. The key of a row is
`run_id, round, target, trial` (`ramp.csv`: and `second`; `burst.csv`: and `request`); `datapackage.json` names that of every table. This page is made from the source of the columns.
"""


def format_dictionary() -> str:
    """Return the page."""
    lines = [HEAD]
    for table, columns in (TABLES | COMPARISON_TABLES).items():
        lines += [f"## {table}.csv", "", "| column | type | meaning |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {column.kind} | {column.meaning} |" for name, column in columns.items()]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(format_dictionary(), end="")
