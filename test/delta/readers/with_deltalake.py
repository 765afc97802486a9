"""Reader: delta-rs through Arrow."""

from deltalake import DeltaTable
from storage import options


def rows(table, version):
    return DeltaTable(table["folder"], version=version, storage_options=options(table["folder"])).to_pyarrow_table()
