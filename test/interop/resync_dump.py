"""Reads a Resource Dump with the classes of the reference client, which has no command for it: prints what it has."""
import hashlib
import io
import json
import sys
import urllib.request
import zipfile

from resync.resource_dump import ResourceDump
from resync.resource_dump_manifest import ResourceDumpManifest


def fetch(uri):
    with urllib.request.urlopen(urllib.request.Request(uri, headers={'Accept': 'application/xml'})) as response:
        return response.read()


dump = ResourceDump()
dump.parse(fh=io.BytesIO(fetch(sys.argv[1])))
packages, resources, digests = 0, 0, []
for package in dump:
    body = fetch(package.uri)
    assert package.length == len(body), package.uri
    assert package.sha256 == hashlib.sha256(body).hexdigest(), package.uri
    packages += 1
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        manifest = ResourceDumpManifest()
        manifest.parse(fh=io.BytesIO(archive.read('manifest.xml')))
        for resource in manifest:
            content = archive.read(resource.path.lstrip('/'))
            digest = hashlib.sha256(content).hexdigest()
            assert (resource.length, resource.sha256) == (len(content), digest), resource.uri
            resources += 1
            digests.append(digest)
print(json.dumps({'packages': packages, 'resources': resources, 'digests': digests}))
