"""Reads OAI-PMH repositories with Sickle and oaipmh-scythe: one line of JSON on standard input says what.

A list of {"client": "sickle" | "scythe", "url", "prefix", "from"?, "until"?, "set"?}, or {"client": "podlake", "url",
"prefix", "headers", "contributor"}, or {"client": "documents", "file"}: a file of NDJSON with stored documents, which
have a record each. Writes a line of JSON: for each, its records in the
order in which they came, as {"id", "datestamp", "sets", "deleted", "digest", "content", "abouts"}.

The digest is that of the metadata in exclusive canonical XML, so it does not depend on where a namespace is declared.
The content is a digest of names, attributes and texts.
"""

import hashlib
import json
import sys

from lxml import etree
from oaipmh_scythe import Scythe
from sickle import Sickle

OAI = "{http://www.openarchives.org/OAI/2.0/}"
# As both clients parse: without the white space between elements.
PARSER = etree.XMLParser(remove_blank_text=True)


def described(record):
    header = record.find(f"{OAI}header")
    metadata = record.find(f"{OAI}metadata")
    return {
        "id": header.findtext(f"{OAI}identifier"),
        "datestamp": header.findtext(f"{OAI}datestamp"),
        "sets": [one.text for one in header.findall(f"{OAI}setSpec")],
        "deleted": header.get("status") == "deleted",
        "digest": None if metadata is None else digest_of(metadata[0]),
        "content": None if metadata is None else hashlib.sha256(content_of(metadata[0]).encode()).hexdigest(),
        "abouts": len(record.findall(f"{OAI}about")),
    }


def digest_of(element):
    # A document of its own: what follows the element does not belong to it.
    bytes_of = etree.tostring(element, with_tail=False)
    return hashlib.sha256(etree.tostring(etree.fromstring(bytes_of), method="c14n", exclusive=True)).hexdigest()


def content_of(element):
    attributes = sorted(f"{etree.QName(name).localname}={value}" for name, value in element.attrib.items())
    text = (element.text or "").strip()
    for child in element:
        text += content_of(child) if isinstance(child.tag, str) else ""
        text += (child.tail or "").strip()
    name = etree.QName(element)
    return f"{{{name.namespace or ''}}}{name.localname}[{'|'.join(attributes)}]({text})"


def by_sickle(work):
    limits = {name: work[name] for name in ("from", "until", "set") if name in work}
    return Sickle(work["url"], timeout=60).ListRecords(metadataPrefix=work["prefix"], **limits)


def by_scythe(work):
    with Scythe(work["url"]) as scythe:
        yield from scythe.list_records(
            metadata_prefix=work["prefix"],
            from_=work.get("from"),
            until=work.get("until"),
            set_=work.get("set"),
        )


def by_podlake(work):
    # The requests of podlake: the set of an organization is the one with its id as contributor, in any case.
    sickle = Sickle(work["url"], headers=work["headers"], timeout=60)
    sets = [one for one in sickle.ListSets() if one.contributor.lower() == work["contributor"].lower()]
    yield from sickle.ListRecords(metadataPrefix=work["prefix"], set=sets[0].setSpec)


def read(work):
    if work["client"] == "documents":
        with open(work["file"], encoding="utf-8") as lines:
            return [described(etree.fromstring(json.loads(line).encode(), PARSER)) for line in lines]
    try:
        records = READERS[work["client"]](work)
        return [described(record.xml) for record in records]
    except Exception as error:
        # Both make a class of each code of the protocol.
        if type(error).__name__ == "NoRecordsMatch":
            return []
        raise


READERS = {"sickle": by_sickle, "scythe": by_scythe, "podlake": by_podlake}

print(json.dumps([read(work) for work in json.loads(sys.stdin.readline())]))
