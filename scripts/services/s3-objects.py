"""
Makes small objects in the folder of a bucket of versitygw, much quicker than by requests:
python3 s3-objects.py FOLDER COUNT [BYTES]

With BYTES, each object has so many random bytes of its own.
"""

import hashlib
import os
import sys

PER_FOLDER = 1000


def main(bucket: str, count: int, length: int) -> None:
    for start in range(0, count, PER_FOLDER):
        folder = os.path.join(bucket, f"{start // PER_FOLDER:05d}")
        os.makedirs(folder)
        first = os.path.join(folder, "0000.txt")
        write(first, os.urandom(length) or f"objects from {start}".encode())
        for at in range(1, min(PER_FOLDER, count - start)):
            path = os.path.join(folder, f"{at:04d}.txt")
            if length > 0:
                write(path, os.urandom(length))
            else:
                # Another name costs much less than another file.
                os.link(first, path)


def write(path: str, content: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    os.write(file, content)
    # Where versitygw keeps the ETag of an object.
    os.setxattr(file, "user.etag", hashlib.md5(content).hexdigest().encode())
    os.close(file)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
