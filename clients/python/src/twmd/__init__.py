"""Client of a twmd service: Taiwan market data as Arrow tables, pandas and polars frames."""

from importlib.metadata import version

from .answers import Estimate, Hit, Update
from .client import Client
from .errors import (
    InvalidRequestError,
    NotFoundError,
    OutOfCreditsError,
    PlanTooLowError,
    RateLimitedError,
    TwmdError,
    UnauthorizedError,
    UnavailableError,
)
from .tables import About, about, to_pandas, to_polars
from .webhooks import WebhookError, verify_webhook

__version__ = version("twmd")

__all__ = [
    "About",
    "Client",
    "Estimate",
    "Hit",
    "InvalidRequestError",
    "NotFoundError",
    "OutOfCreditsError",
    "PlanTooLowError",
    "RateLimitedError",
    "TwmdError",
    "UnauthorizedError",
    "UnavailableError",
    "Update",
    "WebhookError",
    "about",
    "to_pandas",
    "to_polars",
    "verify_webhook",
]
