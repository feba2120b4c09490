"""fastavro: writes an Avro file with records that are made on the way, or reads one. Prints {"seconds", "length", "memory"}.

Tuned: the schema is parsed beforehand, records are not validated, and the garbage collector does not look at them.
"""

import gc
import json
import os
import re
import sys
import time

import fastavro

SCHEMA = {
    "namespace": "la.dp.avro",
    "type": "record",
    "name": "OriginalRecord.v1",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "provider", "type": "string"},
        {"name": "document", "type": "string"},
        {
            "name": "mimetype",
            "type": {
                "name": "MimeType",
                "type": "enum",
                "symbols": ["application_json", "application_xml", "text_turtle"],
            },
        },
    ],
}

options = json.loads(sys.argv[1])
with open(options["documents"], encoding="utf-8") as lines:
    texts = [json.loads(line) for line in lines]
schema = fastavro.parse_schema(SCHEMA)
gc.disable()


def records():
    for number in range(options["count"]):
        yield {
            "id": f"oai:example.org:{number}",
            "provider": "cdl",
            "document": texts[number % len(texts)],
            "mimetype": "application_xml",
        }


def write():
    with open(options["file"], "wb") as file:
        fastavro.writer(
            file, schema, records(), codec=options["codec"], sync_interval=options["block"]
        )


def read():
    found = letters = 0
    with open(options["file"], "rb") as file:
        for record in fastavro.reader(file):
            letters += len(record["document"])
            found += 1
    assert found == options["count"] and letters > found


begun = time.perf_counter()
write() if options["mode"] == "write" else read()
seconds = time.perf_counter() - begun
with open("/proc/self/status") as status:
    memory = int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) * 1024 / 1e6
length = os.path.getsize(options["file"])
print(json.dumps({"seconds": seconds, "length": length, "memory": memory}))
