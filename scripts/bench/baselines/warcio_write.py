"""Writes files into a WARC by warcio, which hashes them. Prints the seconds, without those to load the program."""

import json
import sys
import time

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

work = json.loads(sys.argv[1])
start = time.perf_counter()
with open(work["warc"], "wb") as output:
    writer = WARCWriter(output, gzip=False)
    for number, name in enumerate(work["files"]):
        with open(name, "rb") as payload:
            headers = StatusAndHeaders("200 OK", [("Content-Type", "application/octet-stream")], protocol="HTTP/1.1")
            url = f"http://127.0.0.1/{number}"
            record = writer.create_warc_record(url, "response", payload=payload, http_headers=headers)
            writer.write_record(record)
print(json.dumps({"seconds": time.perf_counter() - start}))
