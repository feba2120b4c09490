"""Makes small objects in the folder of a bucket of versitygw, much quicker than by requests: python3 s3-objects.py FOLDER COUNT"""

import hashlib
import os
import sys

PER_FOLDER = 1000


def main(bucket: str, count: int) -> None:
    for at in range(count):
        folder = os.path.join(bucket, f"{at // PER_FOLDER:05d}")
        if at % PER_FOLDER == 0:
            os.makedirs(folder)
        content = f"object {at}".encode()
        file = os.open(os.path.join(folder, f"{at % PER_FOLDER:04d}.txt"), os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(file, content)
        # Where versitygw keeps the ETag of an object.
        os.setxattr(file, "user.etag", hashlib.md5(content).hexdigest().encode())
        os.close(file)


main(sys.argv[1], int(sys.argv[2]))
