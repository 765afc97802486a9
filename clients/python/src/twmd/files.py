"""Writes rows and releases to files. A file appears under its name when it is complete."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pyarrow as pa
from pyarrow import csv, parquet

from .errors import UnavailableError
from .tables import nested_as_json
from .transport import Transport

_CHUNK = 1 << 20
#: Maximum number of interrupted attempts per file.
_MOST_BREAKS = 5


def _parquet(path: Path, schema: pa.Schema) -> AbstractContextManager[Any]:
    writer: AbstractContextManager[Any] = parquet.ParquetWriter(path, schema, compression="zstd")
    return writer


def _arrow(path: Path, schema: pa.Schema) -> AbstractContextManager[Any]:
    writer: AbstractContextManager[Any] = pa.ipc.new_file(str(path), schema)
    return writer


def _csv(path: Path, schema: pa.Schema) -> AbstractContextManager[Any]:
    writer: AbstractContextManager[Any] = csv.CSVWriter(str(path), schema)
    return writer


#: Formats of `write`, with a function that opens a file.
WRITERS: Mapping[str, Callable[[Path, pa.Schema], AbstractContextManager[Any]]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "csv": _csv,
}


def _unfinished(path: Path, mode: int = 0o666) -> Path:
    """Creates an empty hidden file in the same folder, with a unique name."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    return unfinished


def write(path: Path, pages: Iterator[pa.Table], kind: str) -> Path:
    """Writes tables with one schema to a file.

    The file is created before the first table is read. A failure removes the incomplete file.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Use the path of a file.")
    unfinished = _unfinished(path)
    try:
        if kind == "csv":
            pages = map(nested_as_json, pages)
        first = next(pages)
        with WRITERS[kind](unfinished, first.schema) as writer:
            writer.write_table(first)
            for page in pages:
                writer.write_table(page.replace_schema_metadata(first.schema.metadata))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def write_secret(path: Path, text: str) -> Path:
    """Writes a file that only the owner may read.

    Replaces an existing file, even if others may read it.
    """
    unfinished = _unfinished(path, 0o600)
    try:
        unfinished.write_text(text)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def fetch(transport: Transport, listed: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Downloads files from signed addresses. The name of a file contains its sha256.

    Skips existing files and resumes incomplete files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [_fetch_one(transport, each["url"], each["sha256"], each["bytes"], folder) for each in listed]


def _fetch_one(transport: Transport, url: str, sha256: str, size: int, folder: Path) -> Path:
    path, unfinished = folder / f"{sha256}.parquet", folder / f".{sha256}.part"
    if path.exists() and path.stat().st_size == size:
        return path
    for _ in range(_MOST_BREAKS):
        have = unfinished.stat().st_size if unfinished.exists() else 0
        if have < size:
            _append(transport, url, unfinished, have)
        if unfinished.stat().st_size >= size:
            break
    if unfinished.stat().st_size < size:
        raise UnavailableError(f"{urlsplit(url).path} was cut off {_MOST_BREAKS} times. Call again to resume.", code="no_answer")
    if _sha256(unfinished) != sha256:
        unfinished.unlink()
        raise UnavailableError(f"{urlsplit(url).path} arrived with other bytes and was deleted. Call again later.", code="wrong_bytes")
    unfinished.replace(path)
    return path


def _append(transport: Transport, url: str, unfinished: Path, have: int) -> None:
    """Appends the missing bytes. After an interruption, the next attempt resumes."""
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
    # A server that ignores the range sends the whole file.
    with (
        transport.stream(url, headers=headers, free=True, signed=True) as response,
        unfinished.open("ab" if response.status_code == 206 else "wb") as file,
        suppress(httpx.HTTPError),
    ):
        # Unbuffered, because bytes in a buffer would be lost when the connection fails.
        for piece in response.iter_raw():
            file.write(piece)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
