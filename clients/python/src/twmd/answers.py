"""Answers that are not tables: dictionaries, as the service sends them."""

from __future__ import annotations

from typing import Any, TypedDict


class Hit(TypedDict):
    """One thing a search found."""

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
    """What a read would come to. `rows` is null where the plan is too low; `refusal` is the first one it would meet."""

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
    """One publication, or the withdrawal of some. Days are null where rows have none: fetch the dataset whole."""

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
