"""polars, lazily as one would."""

import polars
from storage import options


def rows(table, version):
    return polars.scan_delta(table["folder"], version=version, storage_options=options(table["folder"])).collect().to_dicts()
