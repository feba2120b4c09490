"""Converts and lists MARC files with pymarc: one line of JSON on standard input says which.

{"convert": [{"from": FILE, "to": FILE}], "list": [FILE]}: a file whose name ends in .xml is MARCXML, others MARC21.
Writes to standard output, for each listed file, its records as [leader, [[tag, value] or [tag, indicators, [[code, value]]]]].
"""

import json
import sys

import pymarc


def records_of(file):
    if file.endswith(".xml"):
        return pymarc.parse_xml_to_array(file)
    with open(file, "rb") as stream:
        reader = pymarc.MARCReader(stream)
        records = []
        for record in reader:
            if record is None:
                raise reader.current_exception
            records.append(record)
        return records


def listed(record):
    fields = []
    for field in record.fields:
        if field.control_field:
            fields.append([field.tag, field.data])
        else:
            subfields = [[subfield.code, subfield.value] for subfield in field.subfields]
            fields.append([field.tag, "".join(field.indicators), subfields])
    return [str(record.leader), fields]


def write(records, file):
    with open(file, "wb") as stream:
        writer = pymarc.XMLWriter(stream) if file.endswith(".xml") else pymarc.MARCWriter(stream)
        for record in records:
            writer.write(record)
        writer.close(close_fh=False)


work = json.loads(sys.stdin.readline())
for conversion in work["convert"]:
    write(records_of(conversion["from"]), conversion["to"])
print(json.dumps({file: [listed(record) for record in records_of(file)] for file in work["list"]}))
