"""pandas, which reads what delta-rs names."""

from deltalake import DeltaTable


def rows(table, version):
    frame = DeltaTable(table["folder"], version=version).to_pandas()
    return frame.astype(object).to_dict("records")
