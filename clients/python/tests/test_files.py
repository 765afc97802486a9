"""Files are verified, resumed and complete; unrelated files are not changed."""

import hashlib
import json
import logging

import pytest
from conftest import Script
from scripted import CATALOG, KEY, arrow, refuses, says

import twmd


def test_an_interrupted_file_is_resumed_and_verified(server: Script, tmp_path) -> None:
    content = bytes(range(256)) * 40
    sha256 = hashlib.sha256(content).hexdigest()
    part = {"url": f"{server.url}/files/d/{sha256}.parquet?sig=s", "sha256": sha256, "bytes": len(content)}
    listed = says(200, json.dumps({"data": [part]}).encode())
    server.answers = [listed, says(200, content[:4_000], whole=False), says(206, content[4_000:])]
    with twmd.Client(server.url, KEY) as client:
        (path,) = client.download_parts("d", tmp_path)
        assert [path.read_bytes() == content, path.name, len(list(tmp_path.iterdir()))] == [True, f"{sha256}.parquet", 1]
        assert [(headers.get("range"), "authorization" in headers) for _, headers in server.asked] == [
            (None, True),
            (None, False),
            ("bytes=4000-", False),
        ]
        server.asked.clear()
        server.answers = [listed]
        client.download_parts("d", tmp_path)
        assert len(server.asked) == 1
        path.unlink()
        server.asked.clear()
        server.answers = [listed, says(200, content[::-1])]
        with pytest.raises(twmd.UnavailableError, match="other bytes"):
            client.download_parts("d", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_logs_contain_no_signature(server: Script, tmp_path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    content = b"rows"
    sha256 = hashlib.sha256(content).hexdigest()
    path = f"/files/d/{sha256}.parquet"
    part = {"url": f"{server.url}{path}?expires=1&sig=the_signature", "sha256": sha256, "bytes": len(content)}
    server.answers = [says(200, json.dumps({"data": [part]}).encode()), says(200, content)]
    with twmd.Client(server.url, KEY) as client:
        client.download_parts("d", tmp_path)
    assert server.asked[1][0] == f"{path}?expires=1&sig=the_signature"
    lines = [record.getMessage() for record in caplog.records] + [repr(record.args) for record in caplog.records]
    assert any(path in line for line in lines)
    assert [line for line in lines if "the_signature" in line] == []


def test_an_unrelated_file_is_not_overwritten(server: Script, tmp_path) -> None:
    server.answers = [CATALOG, arrow(3)]
    for name in ("d.csv.part", ".d.csv.part", ".share.part"):
        (tmp_path / name).write_text("mine")
    with twmd.Client(server.url, KEY) as client:
        client.download("d", tmp_path / "d.csv")
        assert client.share_profile(tmp_path / "share").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir() if path.read_text() != "mine") == ["d.csv", "share"]
    assert len(list(tmp_path.iterdir())) == 5


def test_an_unwritable_file_costs_nothing(server: Script, tmp_path) -> None:
    server.answers = [CATALOG, arrow(3)]
    with twmd.Client(server.url, KEY) as client:
        with pytest.raises(FileNotFoundError):
            client.download("d", tmp_path / "nowhere" / "d.csv")
        with pytest.raises(IsADirectoryError):
            client.download("d", tmp_path, format="csv")
    assert [path.split("?")[0] for path, _ in server.asked if not path.startswith("/v2/datasets")] == []


def test_a_failed_download_leaves_no_file(server: Script, tmp_path) -> None:
    server.answers = [CATALOG, arrow(3, link='</d?page=2>; rel="next"'), refuses(402, "credits_exhausted")]
    with twmd.Client(server.url, KEY) as client, pytest.raises(twmd.OutOfCreditsError):
        client.download("d", tmp_path / "d.parquet")
    assert list(tmp_path.iterdir()) == []
