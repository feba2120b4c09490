"""Python resync: writes a Resource List of resources that are in memory, in pages of 50,000. Prints {"seconds"}.

Tuned: the resources come sorted, no files are read or hashed, and the garbage collector does not look at them again.
"""

import gc
import json
import sys
import time

from resync.mapper import Mapper
from resync.resource import Resource
from resync.resource_list import ResourceList

options = json.loads(sys.argv[1])
gc.disable()
resources = ResourceList()
prefix = "https://repository.example.org/records/"
with open(options["events"]) as lines:
    for line in lines:
        event = json.loads(line)
        link = event["ln"][0]
        resources.add(
            Resource(
                uri=prefix + event["location"]["value"],
                lastmod=event["lastmod"],
                length=event["length"],
                sha256=event["hash"][8:],
                mime_type=event["mime"],
                ln=[{"rel": link["rel"], "href": link["href"]["value"], "type": link["mime"]}],
            )
        )
gc.freeze()
if options["collect"]:
    gc.enable()
resources.mapper = Mapper([prefix + "=" + options["folder"]])
start = time.perf_counter()
resources.write(options["folder"] + "/resourcelist.xml")
print(json.dumps({"seconds": time.perf_counter() - start}))
