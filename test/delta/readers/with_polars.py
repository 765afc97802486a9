"""Reader: polars with a lazy scan, its usual form."""

import polars
from storage import options


def rows(table, version):
    return polars.scan_delta(table["folder"], version=version, storage_options=options(table["folder"])).collect().to_dicts()
