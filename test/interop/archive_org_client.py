"""Uploads to and reads items of archive.org with its own client.

Reads lines of JSON, each a task, and writes the result of each as a line of JSON. A proxy stands in for archive.org.
"""
import json
import sys

from internetarchive import get_session


def upload(session, task):
    item = session.get_item(task["item"])
    responses = item.upload(
        task["files"],
        metadata=task["metadata"],
        verify=True,
        queue_derive=False,
        retries=5,
        retries_sleep=0.01,
    )
    return [response.status_code for response in responses]


def read(session, task):
    item = session.get_item(task["item"])
    item.download(destdir=task["folder"], no_directory=True, checksum=True, ignore_existing=True)
    files = {file.name: [file.size, file.md5, file.sha1] for file in item.get_files()}
    return {"metadata": item.metadata, "files": files}


def main():
    for line in sys.stdin:
        task = json.loads(line)
        keys = {"access": task["access"], "secret": task["secret"]}
        session = get_session(config={"general": {"secure": False}, "s3": keys})
        done = {"upload": upload, "read": read}[task["do"]](session, task)
        print(json.dumps(done), flush=True)


main()
