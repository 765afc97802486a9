"""Compares reads of a running service with its JSON."""

import json
import os
import stat
from datetime import date, datetime, timezone
from pathlib import Path
from urllib.request import Request, urlopen

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import twmd

URL, KEY = os.environ["TWMD_URL"], os.environ["TWMD_API_KEY"]
TRADES = "institutional-positioning"


def json_of(path: str) -> dict:
    """A JSON response, requested without the client."""
    with urlopen(Request(URL + path, headers={"X-API-Key": KEY})) as answer:
        return json.load(answer)


CATALOG = {each["slug"]: each for each in json_of("/v2/datasets")["data"]}


def plain(value: object, kind: str) -> object:
    """A value of a table, in the form that JSON has."""
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, date):
        return value.isoformat()
    return present(value) if kind == "json" else value


def present(value: object) -> object:
    """A nested value without members that are null.

    Such a member may be absent in JSON, but is null in Arrow.
    """
    if isinstance(value, dict):
        return {name: present(member) for name, member in value.items() if member is not None}
    return [present(element) for element in value] if isinstance(value, list) else value


@pytest.mark.parametrize("slug", sorted(CATALOG))
def test_arrow_of_every_dataset_equals_its_json(client: twmd.Client, slug: str) -> None:
    dataset = CATALOG[slug]
    spec = json_of("/openapi.json")["paths"][dataset["links"]["read"]]["get"]["parameters"]
    required = {each["name"]: each["example"] for each in spec if each["in"] == "query" and each.get("required")}
    asked = "&".join(f"{name}={value}" for name, value in required.items())
    body = json_of(f"{dataset['links']['read']}?limit=50&{asked}")
    rows = body["envelope"]["data"] if dataset["envelope"] == "B" else body["data"]
    table = client.read(slug, limit=50, **required)
    kinds = {each.name: each.metadata[b"type"].decode() for each in table.schema}
    stamps = {name for name, kind in kinds.items() if kind == "timestamp"}
    expected = [
        {
            name: datetime.fromisoformat(value).timestamp() if name in stamps and value else plain(value, kinds[name])
            for name, value in row.items()
        }
        for row in rows
    ]
    assert [{name: plain(value, kinds[name]) for name, value in row.items()} for row in table.to_pylist()] == expected
    assert twmd.about(table).release == dataset["release_version"]
    assert len(twmd.to_pandas(table)) == len(twmd.to_polars(table)) == len(rows)


def test_pages_come_from_one_release_and_contain_the_whole_history(client: twmd.Client) -> None:
    pages = list(client.pages(TRADES, symbol="2330", page=500))
    assert [page.num_rows for page in pages[:2]] == [500, 500]
    assert len({twmd.about(page).release for page in pages}) == 1
    rows = json_of(f"/v2/datasets/{TRADES}?symbol=2330&limit=5000")["data"]
    assert len(rows) > 1_000
    table = client.read_all(TRADES, symbol="2330", page=500)
    assert [day.isoformat() for day in table["trade_date"].to_pylist()] == [row["trade_date"] for row in rows]
    assert twmd.about(table).credits_charged == 2 * len(pages) == 6


def test_parameters_accept_days_lists_and_sort_order(client: twmd.Client) -> None:
    table = client.read(
        TRADES,
        symbol=["2330", "2317"],
        start=date(2026, 3, 2),
        end="2026-03-04",
        columns=["ticker", "trade_date"],
        sort=["ticker", "-trade_date"],
    )
    expected = [("2317", 4), ("2330", 4), ("2330", 3), ("2330", 2)]
    assert [(row["ticker"], row["trade_date"].day) for row in table.to_pylist()] == expected
    bought = client.read(TRADES, symbol="2330", range=["foreign_net_buy:..<0", "dealer_net_buy:0.."], limit=5000)
    every = client.read(TRADES, symbol="2330", limit=5000).to_pylist()
    assert bought.to_pylist() == [row for row in every if row["foreign_net_buy"] < 0 <= row["dealer_net_buy"]] != []
    assert client.read(TRADES.replace("-", "_"), symbol="2330", limit=1).num_rows == 1
    last = client.pandas(TRADES, symbol="2330", limit=1)["trade_date"].max()
    assert client.read(TRADES, symbol="2330", start=last).num_rows == 1
    assert client.read(TRADES, symbol="2330", start=datetime(2026, 6, 30, 16, tzinfo=timezone.utc)).num_rows == 0
    closed = client.read("trading-calendar", is_open=False, limit=3)
    assert set(closed["is_open"].to_pylist()) == {False}


def test_data_frames_have_the_types_of_their_columns(client: twmd.Client) -> None:
    frame = client.pandas(TRADES, symbol="0050", limit=3)
    assert [str(frame[name].dtype) for name in ("ticker", "foreign_net_buy", "foreign_pct")] == ["string", "Int64", "float64"]
    assert pd.api.types.is_datetime64_dtype(frame["trade_date"])
    assert [frame["ticker"][0], frame.attrs["twmd"]["credits_charged"]] == ["0050", 2]
    polars = client.polars(TRADES, symbol="0050", limit=3)
    assert [polars.schema[name] for name in ("ticker", "trade_date", "foreign_net_buy")] == [pl.String, pl.Date, pl.Int64]


def test_a_cross_section_has_every_key(client: twmd.Client) -> None:
    rows = json_of(f"/v2/datasets/{TRADES}/cross-section?date=2026-03-04")["data"]
    table = client.cross_section(TRADES, date(2026, 3, 4), columns="ticker")
    assert table["ticker"].to_pylist() == [row["ticker"] for row in rows] and len(rows) > 1


def test_an_empty_table_has_a_reason(client: twmd.Client) -> None:
    table = client.read_all(TRADES, symbol="9999")
    assert [table.num_rows, twmd.about(table).empty_reason] == [0, "unknown_symbol"]
    assert "trade_date" in table.column_names and len(client.pandas(TRADES, symbol="9999")) == 0


def test_fields_splits_entities_into_several_requests(client: twmd.Client) -> None:
    ids = ["2330", *(str(number) for number in range(9000, 9110))]
    table = client.fields(ids, ["institutional.foreign_net_buy"])
    newest = json_of(f"/v2/datasets/{TRADES}?symbol=2330&limit=1")["data"][0]
    row = table.to_pylist()[0]
    assert [row["entity_id"], row["institutional.foreign_net_buy"]] == ["2330", newest["foreign_net_buy"]]
    assert row["institutional.foreign_net_buy.as_of_date"].isoformat() == newest["trade_date"]
    assert [twmd.about(table).credits_charged, len(twmd.about(table).envelope["missing"])] == [2, 110]
    before = client.fields("2330", "institutional.foreign_net_buy", as_of="2026-03-04", plain=True)
    (then,) = json_of(f"/v2/datasets/{TRADES}?symbol=2330&start_date=2026-03-04&end_date=2026-03-04")["data"]
    assert before.to_pylist() == [{"entity_id": "2330", "institutional.foreign_net_buy": then["foreign_net_buy"]}]
    assert {"institutional.foreign_net_buy"} <= {each["field"] for each in client.field_names("company")}


def test_sql_returns_rows_and_states_its_price(client: twmd.Client) -> None:
    query = "SELECT trade_date, foreign_net_buy FROM institutional_positioning WHERE ticker = $t ORDER BY trade_date DESC"
    table = client.sql(query, {"t": "2330"}, limit=1)
    newest = json_of(f"/v2/datasets/{TRADES}?symbol=2330&limit=1")["data"][0]
    assert [str(table["trade_date"][0]), table["foreign_net_buy"][0].as_py()] == [newest["trade_date"], newest["foreign_net_buy"]]
    assert client.dry_sql(query, {"t": "2330"})["credits"] == twmd.about(table).credits_charged


def test_as_of_reads_the_release_served_then(client: twmd.Client) -> None:
    withdrawn, newest, first, _ = client.releases(TRADES)
    then, now = (client.read(TRADES, symbol="2330", limit=1, as_of=as_of) for as_of in ("2026-07-01", None))
    assert [twmd.about(then).release, twmd.about(now).release] == [first["release"], newest["release"]]
    assert then["foreign_net_buy"] != now["foreign_net_buy"]
    for as_of in (withdrawn["published_at"], "2026-07-03"):
        assert twmd.about(client.read(TRADES, symbol="2330", limit=1, as_of=as_of)).release == newest["release"]
    moment = client.read_all(TRADES, symbol="2330", as_of=datetime.fromisoformat(newest["published_at"]))
    assert twmd.about(moment).release == newest["release"]
    assert twmd.about(moment).as_of == newest["published_at"]
    pages = list(client.pages(TRADES, symbol="2330", page=500, as_of=date(2026, 7, 1)))
    assert {twmd.about(page).release for page in pages} == {first["release"]} and len(pages) > 1
    section = client.cross_section(TRADES, "2026-06-30", as_of="2026-07-01", columns=["ticker", "foreign_net_buy"])
    assert [row for row in section.to_pylist() if row["ticker"] == "2330"] == then.select(["ticker", "foreign_net_buy"]).to_pylist()
    assert client.dry_run(TRADES, symbol="2330", as_of="2026-07-01")["release"] == first["release"]
    with pytest.raises(twmd.InvalidRequestError, match="2026-07-01 or later") as refused:
        client.read(TRADES, symbol="2330", as_of="2026-06-30")
    assert refused.value.facts["first_day"] == "2026-07-01"
    with pytest.raises(ValueError, match="Use one"):
        client.read(TRADES, symbol="2330", as_of="2026-07-01", release=newest["release"])


def test_updates_are_oldest_first_with_the_days_to_read(client: twmd.Client) -> None:
    updates = list(client.updates("2026-06-01", dataset=TRADES))
    withdrawn, newest, *before = client.releases(TRADES)
    served = [*(each["release"] for each in reversed(before)), newest["release"], newest["release"]]
    assert [update["release_version"] for update in updates] == served
    assert [update["kind"] for update in updates][-1:] == ["withdrawal"]
    assert updates[-1]["withdrawn_release_versions"] == [withdrawn["release"]]
    assert [updates[-2]["changed"]["rows"], updates[-1]["changed"]["rows"]] == [1, 1]
    assert {update["slug"] for update in updates} == {TRADES}
    assert len(list(client.updates(date(2026, 6, 1)))) > len(updates)
    with pytest.raises(twmd.NotFoundError):
        list(client.updates("2026-06-01", dataset="nothing"))
    assert list(client.updates("2026-08-01")) == []


def test_downloads_contain_the_rows_in_every_format(client: twmd.Client, tmp_path: Path) -> None:
    asked = {"symbol": "2330", "page": 500, "columns": ["trade_date", "foreign_net_buy"]}
    table = client.read_all(TRADES, **asked).replace_schema_metadata(None)
    parquet, arrow, csv = (client.download(TRADES, tmp_path / f"rows.{kind}", **asked) for kind in ("parquet", "arrow", "csv"))
    found = [pa.parquet.read_table(parquet), pa.ipc.open_file(arrow).read_all(), pa.csv.read_csv(csv)]
    assert [each.to_pylist() == table.to_pylist() for each in found] == [True] * 3
    assert client.download(TRADES, tmp_path / "few", format="csv", symbol="2330", limit=3).read_text().count("\n") == 4
    with pytest.raises(ValueError, match="parquet, arrow, csv"):
        client.download(TRADES, tmp_path / "rows.xlsx", symbol="2330")


def test_lists_and_objects_are_nested_columns_and_json_text_in_csv_files(client: twmd.Client, tmp_path: Path) -> None:
    rows = json_of("/v2/datasets/securities-firm-master?limit=5")["data"]
    table = client.read("securities-firm-master", limit=5)
    assert table.schema.metadata[b"twmd.nested"] == b"list_struct"
    kinds = {each.name: each.type for each in table.schema}
    assert pa.types.is_list(kinds["business_items"]) and pa.types.is_struct(kinds["lineage"])
    assert table["business_items"].to_pylist() == [row["business_items"] for row in rows] != []
    assert table["lineage"].combine_chunks().field("emitter").to_pylist() == [row["lineage"]["emitter"] for row in rows]
    assert [dict(value)["emitter"] for value in twmd.to_pandas(table)["lineage"]] == [row["lineage"]["emitter"] for row in rows]
    assert twmd.to_polars(table).schema["business_items"] == pl.List(pl.String)
    file = pd.read_csv(client.download("securities-firm-master", tmp_path / "firms.csv", limit=5))
    assert [json.loads(text) for text in file["lineage"]] == [row["lineage"] for row in rows]
    assert [json.loads(text) for text in file["business_items"]] == [row["business_items"] for row in rows]


def test_parts_contain_the_rows_of_the_release(client: twmd.Client, tmp_path: Path) -> None:
    paths = client.download_parts("daily-prices", tmp_path)
    rows = sum(pa.parquet.read_metadata(path).num_rows for path in paths)
    assert rows == client.releases("daily-prices")[0]["rows"] > 0


def test_the_share_profile_is_private_and_reads_tables(client: twmd.Client, tmp_path: Path) -> None:
    path = tmp_path / "twmd.share"
    path.write_text("old")
    path.chmod(0o644)
    profile = json.loads(client.share_profile(path).read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    request = Request(f"{profile['endpoint']}/shares", headers={"Authorization": f"Bearer {profile['bearerToken']}"})
    with urlopen(request) as answer:
        assert {"free", "pro", "max"} == {share["name"] for share in json.load(answer)["items"]}


def test_a_dry_run_is_free_and_estimates_the_read(client: twmd.Client) -> None:
    before = twmd.about(client.read(TRADES, symbol="2330", limit=1)).credits_remaining
    estimate = client.dry_run(TRADES, symbol="2330", limit=7)
    after = twmd.about(client.read(TRADES, symbol="2330", limit=1))
    assert [estimate["rows"], estimate["credits"], estimate["refusal"]] == [7, 2, None]
    assert before - after.credits_remaining == after.credits_charged
    assert 1_000 < estimate["estimated_bytes"] < 20_000


def test_refusals_name_the_fault_and_the_next_step(client: twmd.Client) -> None:
    with pytest.raises(twmd.InvalidRequestError) as wrong:
        client.read(TRADES, symbol="x")
    assert wrong.value.facts["faults"][0]["loc"] == ["query", "symbol"]
    with pytest.raises(twmd.InvalidRequestError, match="simbol"):
        client.read(TRADES, simbol="2330")
    with pytest.raises(twmd.NotFoundError, match="Did you mean daily-prices"):
        client.read("daily-price")
    with pytest.raises(twmd.NotFoundError):
        client.cross_section("earnings", "2026-03-04")
    with (
        twmd.Client(api_key=os.environ["TWMD_FREE_KEY"]) as free,
        pytest.raises(twmd.PlanTooLowError, match="It requires the plan pro; yours is free"),
    ):
        free.read(TRADES, symbol="2330")
    with twmd.Client(api_key="sk_live_wrong") as nobody, pytest.raises(twmd.UnauthorizedError, match="TWMD_API_KEY"):
        nobody.read(TRADES, symbol="2330")
    with twmd.Client("http://127.0.0.1:9", retries=0) as nowhere, pytest.raises(twmd.UnavailableError, match="No connection"):
        nowhere.datasets()


def test_schema_and_search_return_results(client: twmd.Client) -> None:
    assert {"trade_date"} <= {column["name"] for column in client.schema(TRADES)["columns"]}
    assert {hit["type"] for hit in client.search("2330", type="symbol", limit=3)} == {"symbol"}
