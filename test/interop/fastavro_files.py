"""Reads and writes Avro files with fastavro: one line of JSON on standard input tells which, one on standard output what was read.

{"read": [FILE, …], "write": [{"file", "schema": JSON text, "codec", "lines": FILE of JSON}, …]}
Of each file that was read: the number of its records, and the SHA-256 of them as lines of JSON.
"""

import hashlib
import json
import sys
from datetime import datetime, timedelta, timezone

import fastavro

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def plain(value, unit):
    return (value - EPOCH) // unit if isinstance(value, datetime) else value


def read(file):
    digest = hashlib.sha256()
    count = 0
    with open(file, "rb") as stream:
        reader = fastavro.reader(stream)
        units = {
            field["name"]: timedelta(milliseconds=1)
            if isinstance(field["type"], dict) and field["type"].get("logicalType") == "timestamp-millis"
            else timedelta(microseconds=1)
            for field in reader.writer_schema["fields"]
        }
        for record in reader:
            values = {name: plain(value, units[name]) for name, value in record.items()}
            text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
            digest.update(text.encode() + b"\n")
            count += 1
    return {"count": count, "sha256": digest.hexdigest()}


def write(file, schema, codec, lines):
    with open(lines, encoding="utf-8", newline="\n") as records, open(file, "wb") as stream:
        fastavro.writer(stream, json.loads(schema), map(json.loads, records), codec=codec)


work = json.load(sys.stdin)
for task in work["write"]:
    write(**task)
json.dump({file: read(file) for file in work["read"]}, sys.stdout)
