"""Python resync: fetches and parses Resource Lists and Change Lists. Prints {"seconds"}.

Tuned: the garbage collector does not look at what was parsed, and each list is dropped when the next one is read.
"""

import gc
import json
import sys
import time

from resync.change_list import ChangeList
from resync.resource_list import ResourceList

options = json.loads(sys.argv[1])
gc.disable()
start = time.perf_counter()
count = 0
for kind, uris in ((ResourceList, options["resources"]), (ChangeList, options["changes"])):
    for uri in uris:
        parsed = kind()
        parsed.read(uri=uri)
        count += len(parsed)
print(json.dumps({"seconds": time.perf_counter() - start, "entries": count}))
