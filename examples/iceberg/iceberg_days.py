"""Makes the files of a history the files of an Apache Iceberg table. No data is copied: the table refers to the files.

    pip install -r requirements.txt
    python3 iceberg_days.py FOLDER NAMESPACE.TABLE [--catalog NAME] [--older-than-days 2] [--expire-days 7]

The catalog is one of ~/.pyiceberg.yaml or of the environment, as PyIceberg documents it:
https://py.iceberg.apache.org/configuration/#catalogs

Run it once a day, after `hdrscope history compact FOLDER`. It may run again at any time:

- A day that ended `--older-than-days` ago, and whose files are not those of the table, replaces its part of the table in one commit. So
  late rows, another compaction and an import each lead to the new files of their day, and no reader sees a day twice or half.
- A day that is no longer in the folder, because `hdrscope history remove` has removed it, leaves the table.
- Snapshots older than `--expire-days` are expired. They refer to files that compaction has removed, and can no longer be read.
"""

import argparse
import datetime
import os
import re
import sys

import pyarrow.parquet as parquet
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.expressions import And, GreaterThanOrEqual, LessThan
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform
from pyiceberg.types import (
    DoubleType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    TimestamptzType,
)

TEXT, TIME, INTEGER, LONG, DOUBLE = StringType(), TimestamptzType(), IntegerType(), LongType(), DoubleType()

# The columns of docs/formats/history.md. Lists and maps get the numbers of their elements below.
COLUMNS = [
    *[("metric", TEXT), ("unit", TEXT), ("attributes", "map"), ("start", TIME), ("end", TIME)],
    *[("producer", TEXT), ("sequence", LONG), ("count", LONG), ("sum", DOUBLE), ("min", DOUBLE), ("max", DOUBLE)],
    *[("scale", DOUBLE), ("bits", INTEGER), ("k", INTEGER), ("c", LONG), ("version", INTEGER), ("w", INTEGER)],
    *[("sum_below", DOUBLE), ("sum_above", DOUBLE), ("min_above", DOUBLE), ("max_below", DOUBLE)],
    *[("revision", LONG), ("exemplars", TEXT)],
]
LISTS = {"k", "c", "w"}
# Only some files have these; elsewhere they are NULL.
OPTIONAL = ["series", "series_above", "weight"]


def make_schema():
    numbers = iter(range(100, 200))
    fields = []
    for number, (name, kind) in enumerate(COLUMNS, 1):
        if kind == "map":
            kind = MapType(next(numbers), TEXT, next(numbers), TEXT, value_required=True)
        elif name in LISTS:
            kind = ListType(next(numbers), kind, element_required=True)
        fields.append(NestedField(number, name, kind, required=True))
    fields += [NestedField(50 + i, name, LONG, required=False) for i, name in enumerate(OPTIONAL)]
    return Schema(*fields)


def make_table(catalog, name):
    namespace = name.rpartition(".")[0]
    catalog.create_namespace_if_not_exists(namespace)
    start = make_schema().find_field("start").field_id
    days = PartitionSpec(PartitionField(start, 1000, DayTransform(), "day"))
    return catalog.create_table(name, make_schema(), partition_spec=days)


def list_days(folder):
    """The files of each day. Engines and this script leave files alone whose names begin with "_" or "."."""
    days = {}
    for name in sorted(os.listdir(folder)):
        found = re.fullmatch(r"day=(\d{4}-\d\d-\d\d)", name)
        if not found:
            continue
        path = os.path.join(folder, name)
        files = [one for one in sorted(os.listdir(path)) if one.endswith(".parquet") and one[0] not in "_."]
        if files:
            days[datetime.date.fromisoformat(found[1])] = {os.path.join(path, one) for one in files}
    return days


def check_columns(paths):
    for path in paths:
        schema = parquet.read_schema(path)
        names = set(schema.names)
        missing = [name for name, _ in COLUMNS if name not in names]
        if not missing and schema.field("start").type.unit != "us":
            # The reader in Spark would compare the statistics of other units with microseconds, and leave rows out.
            raise SystemExit(f"{path} must have times in microseconds: write its rows again with this version of hdrscope")
        if missing:
            raise SystemExit(
                f"{path} must have the columns of a history of version 2, and lacks {', '.join(missing)}: "
                "`hdrscope history compact` writes files that have them"
            )


def files_in_table(table):
    """The files of each day of the table."""
    days = {}
    for one in table.inspect.data_files().select(["file_path", "partition"]).to_pylist():
        days.setdefault(one["partition"]["day"], set()).add(one["file_path"])
    return days


def replace_day(table, day, known, paths):
    """Puts files in the place of the known ones, which are all that the table has of a day, in one commit."""
    check_columns(paths)
    to = day + datetime.timedelta(days=1)
    with table.transaction() as transaction:
        if known:
            transaction.delete(And(GreaterThanOrEqual("start", midnight(day)), LessThan("start", midnight(to))))
        if paths:
            transaction.add_files(sorted(paths))


def expire_snapshots(table, before):
    current = table.current_snapshot()
    # An expiry of nothing is a commit, too.
    if any(one.timestamp_ms < before.timestamp() * 1000 and one != current for one in table.snapshots()):
        table.maintenance.expire_snapshots().older_than(before).commit()


def midnight(day):
    return f"{day.isoformat()}T00:00:00+00:00"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="the folder of a history")
    parser.add_argument("table", help="the table, made if it does not exist, such as metrics.history")
    parser.add_argument("--catalog", default="default", help="the name of the catalog (default: default)")
    parser.add_argument("--older-than-days", type=float, default=2, help="only days that ended so long ago (default: 2)")
    parser.add_argument("--expire-days", type=float, default=7, help="how long snapshots stay (default: 7)")
    options = parser.parse_args()
    if "." not in options.table:
        parser.error(f"the table must be NAMESPACE.TABLE, got {options.table}")
    folder = os.path.abspath(options.folder)
    if not os.path.isdir(folder):
        parser.error(f"the folder must exist, got {options.folder}")

    catalog = load_catalog(options.catalog)
    try:
        table = catalog.load_table(options.table)
    except NoSuchTableError:
        table = make_table(catalog, options.table)

    now = datetime.datetime.now(datetime.timezone.utc)
    ended = (now - datetime.timedelta(days=options.older_than_days + 1)).date()
    there = {day: paths for day, paths in list_days(folder).items() if day <= ended}
    known = files_in_table(table)
    if known and not there:
        # A disk that is not mounted looks like this, too.
        raise SystemExit(f"{options.table} has {len(known)} days, and {folder} has none that ended so long ago: nothing was changed")
    for day in sorted(there.keys() | known.keys()):
        paths = there.get(day, set())
        if paths == known.get(day, set()):
            continue
        replace_day(table, day, known.get(day, set()), paths)
        print(f"{day.isoformat()}  {len(paths)} files" if paths else f"{day.isoformat()}  removed")
    expire_snapshots(table, now - datetime.timedelta(days=options.expire_days))


if __name__ == "__main__":
    sys.exit(main())
