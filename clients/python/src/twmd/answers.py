"""Types of answers that are dictionaries instead of tables."""

from __future__ import annotations

from typing import Any, TypedDict


class Hit(TypedDict):
    """A search result."""

    type: str
    id: str
    title: str
    subtitle: str | None
    market: str | None
    score: float
    matched_on: str
    datasets: list[str]
    url: str
    query_field: str | None


class Estimate(TypedDict):
    """Estimate of a read.

    `rows` is None if the plan does not include the read. If the read would fail, `refusal` is the
    first error.
    """

    rows: int | None
    rows_are: str | None
    estimated_bytes: int | None
    credits: int
    row_limit: int
    limited: bool
    would_be_refused: bool
    refusal: dict[str, Any] | None
    release: str | None
    format: str


class Update(TypedDict):
    """A publication or a withdrawal.

    The days are None if rows have no days. In this case, read the whole dataset again.
    """

    update_id: str
    dataset: str
    slug: str
    category: str
    kind: str
    data_date_from: str | None
    data_date_to: str | None
    rows_added: int
    rows_changed: int
    rows_removed: int
    added: dict[str, Any] | None
    changed: dict[str, Any] | None
    removed: dict[str, Any] | None
    data_as_of: str
    synthetic: bool
    release_version: str
    previous_release_version: str | None
    withdrawn_release_versions: list[str]
    published_at: str
