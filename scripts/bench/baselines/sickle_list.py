"""Sickle: reads ListRecords to its end, and counts what it reads. Prints {"seconds", "records"}."""

import json
import sys
import time

from sickle import Sickle

url, prefix = sys.argv[1:]
start = time.perf_counter()
records = sum(1 for _ in Sickle(url, timeout=600).ListRecords(metadataPrefix=prefix))
print(json.dumps({"seconds": time.perf_counter() - start, "records": records}))
