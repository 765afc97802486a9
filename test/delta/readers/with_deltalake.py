"""delta-rs through Arrow."""

from deltalake import DeltaTable


def rows(table, version):
    return DeltaTable(table["folder"], version=version).to_pyarrow_table()
