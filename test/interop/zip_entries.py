"""Prints the entries of a ZIP file as Python's zipfile finds them, after it has tested all of them."""

import sys
import zipfile

sys.stdout.reconfigure(encoding="utf-8")
with zipfile.ZipFile(sys.argv[1]) as package:
    damaged = package.testzip()
    if damaged is not None:
        sys.exit(f"{damaged} is damaged")
    for entry in package.infolist():
        print(entry.CRC, entry.file_size, entry.filename)
