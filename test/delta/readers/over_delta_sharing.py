"""Reader: the Delta Sharing client for pandas.

SHARING_PROFILE is the path of the profile file, SHARING_FORMAT is delta or parquet.
"""

import json
import os

import delta_sharing

PROFILE = os.environ["SHARING_PROFILE"]
IN_DELTA = os.environ["SHARING_FORMAT"] == "delta"


def read(table, **wanted):
    url = f"{PROFILE}#{table['share']}.twmd.{table['name']}"
    return delta_sharing.load_as_pandas(url, use_delta_format=IN_DELTA, **wanted).to_dict("records")


def rows(table, version):
    return read(table, version=version)


def hint(name, value):
    column, literal = {"op": "column", "name": name, "valueType": "string"}, {"op": "literal", "value": value, "valueType": "string"}
    return json.dumps({"op": "equal", "children": [column, literal]})
