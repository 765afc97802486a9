"""Reader: pandas, which reads the files that delta-rs lists."""

from deltalake import DeltaTable


def rows(table, version):
    frame = DeltaTable(table["folder"], version=version).to_pandas()
    return frame.astype(object).to_dict("records")
