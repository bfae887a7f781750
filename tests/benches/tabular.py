#!/usr/bin/env python3
"""Other ways to score two CSV files, for the benchmark of tables: tabular.py PEER classification|regression GT PRED.

Every peer checks that ids are unique and the same on both sides, and prints macro F1, or RMSE and R². `python` needs nothing
but Python; `duckdb` and `polars` need their packages.
"""
import csv
import sys


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        next(reader)
        rows = list(reader)
    table = dict(rows)
    assert len(table) == len(rows), "an id is there twice"
    return table


def f1_of_counts(pairs):
    """Macro F1 of (label, predicted, count)."""
    hits, sums = {}, {}
    for truth, guess, count in pairs:
        for label in (truth, guess):
            sums[label] = sums.get(label, 0) + count
        if truth == guess:
            hits[truth] = hits.get(truth, 0) + count
    return sum(2 * hits.get(label, 0) / total for label, total in sums.items()) / len(sums)


def python(kind, gt, pred):
    gt, pred = read(gt), read(pred)
    assert gt.keys() == pred.keys(), "the ids differ"
    if kind == "classification":
        counts = {}
        for key, truth in gt.items():
            pair = truth, pred[key]
            counts[pair] = counts.get(pair, 0) + 1
        return f1_of_counts((truth, guess, count) for (truth, guess), count in counts.items())
    pairs = [(float(truth), float(pred[key])) for key, truth in gt.items()]
    mean = sum(truth for truth, _ in pairs) / len(pairs)
    squares = sum((truth - guess) ** 2 for truth, guess in pairs)
    return (squares / len(pairs)) ** 0.5, 1 - squares / sum((truth - mean) ** 2 for truth, _ in pairs)


def duckdb(kind, gt, pred):
    import duckdb as db

    value = "label" if kind == "classification" else "value"
    load = "CREATE TABLE {0} AS SELECT * FROM read_csv('{1}', header=true, delim=',', quote='\"', escape='\"', columns={{'id': 'VARCHAR', '{2}': '{3}'}})"
    kind_of = "VARCHAR" if kind == "classification" else "DOUBLE"
    for name, path in (("gt", gt), ("pred", pred)):
        db.sql(load.format(name, path, value, kind_of))
        rows, ids = db.sql(f"SELECT count(*), count(DISTINCT id) FROM {name}").fetchall()[0]
        assert rows == ids, "an id is there twice"
    joined = db.sql("SELECT count(*) FROM gt JOIN pred USING (id)").fetchall()[0][0]
    assert joined == rows == db.sql("SELECT count(*) FROM gt").fetchall()[0][0], "the ids differ"
    if kind == "classification":
        return f1_of_counts(db.sql("SELECT gt.label, pred.label, count(*) FROM gt JOIN pred USING (id) GROUP BY 1, 2").fetchall())
    squares, spread = db.sql(
        "SELECT sum((g - p) ** 2), var_pop(g) * count(*) FROM (SELECT gt.value AS g, pred.value AS p FROM gt JOIN pred USING (id))"
    ).fetchall()[0]
    return (squares / rows) ** 0.5, 1 - squares / spread


def polars(kind, gt, pred):
    import polars as pl

    value, dtype = ("label", pl.String) if kind == "classification" else ("value", pl.Float64)
    tables = [pl.read_csv(path, schema={"id": pl.String, value: dtype}) for path in (gt, pred)]
    assert all(table["id"].n_unique() == len(table) for table in tables), "an id is there twice"
    joined = tables[0].join(tables[1], on="id")
    assert len(joined) == len(tables[0]) == len(tables[1]), "the ids differ"
    if kind == "classification":
        return f1_of_counts(joined.group_by("label", "label_right").len().rows())
    truth, guess = joined["value"], joined["value_right"]
    squares = ((truth - guess) ** 2).sum()
    return (squares / len(joined)) ** 0.5, 1 - squares / ((truth - truth.mean()) ** 2).sum()


if __name__ == "__main__":
    peer, kind, gt, pred = sys.argv[1:]
    print({"python": python, "duckdb": duckdb, "polars": polars}[peer](kind, gt, pred))
