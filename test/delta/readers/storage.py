"""Tables in a bucket.

Clients read the endpoint and the credentials from environment variables of AWS.
"""

import os

VARIABLES = ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_ALLOW_HTTP")


def options(folder):
    """Storage options of delta-rs and polars. None for a local folder."""
    return {name: os.environ[name] for name in VARIABLES} if folder.startswith("s3://") else None
