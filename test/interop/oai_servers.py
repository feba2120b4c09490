"""A repository that pyoai or oai-repo implements: python3 oai_servers.py pyoai|oai-repo FILE.

FILE has a line of JSON for each record: {"id", "datestamp", "sets", "deleted", "dc": {"title": [TEXT]}}. It is read again
when it changes. Writes the URL on which it serves.
"""

import json
import os
import sys
from datetime import datetime
from urllib.parse import parse_qs, parse_qsl
from wsgiref.simple_server import WSGIRequestHandler, make_server

from lxml import etree

PROGRAM, FILE = sys.argv[1:]
SECONDS = "%Y-%m-%dT%H:%M:%SZ"
EARLIEST = "2001-01-01T00:00:00Z"
OAI_DC = ("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/")
DC = "http://purl.org/dc/elements/1.1/"
BATCH = 200


def date(text):
    return datetime.strptime(text, SECONDS)


class Records:
    """The records of the file, by identifier."""

    def __init__(self):
        self.changed = None
        self.keep = lambda record: True

    def all(self):
        changed = os.stat(FILE).st_mtime_ns
        if changed != self.changed:
            with open(FILE, encoding="utf-8") as lines:
                records = [record for record in map(json.loads, lines) if self.keep(record)]
            self.changed, self.by_id = changed, {record["id"]: record for record in records}
        return self.by_id

    def within(self, after, until, spec):
        for record in self.all().values():
            when = date(record["datestamp"])
            if (after is None or when >= after) and (until is None or when <= until):
                if spec is None or any(one == spec or one.startswith(f"{spec}:") for one in record["sets"]):
                    yield record

    def sets(self):
        return sorted({spec for record in self.all().values() for spec in record["sets"]})


RECORDS = Records()


def serve_pyoai(url):
    import cgi

    # Python has removed it; pyoai reads its tokens with it.
    cgi.parse_qs = parse_qs
    from oaipmh import common, error, metadata, server

    def header(record):
        return common.Header(None, record["id"], date(record["datestamp"]), record["sets"], record["deleted"])

    def whole(record):
        return header(record), common.Metadata(None, record["dc"]), None

    class Repository:
        def identify(self):
            seconds = "YYYY-MM-DDThh:mm:ssZ"
            return common.Identify(
                "pyoai", url, "2.0", ["ada@example.org"], date(EARLIEST), "persistent", seconds, ["identity"], False
            )

        def listMetadataFormats(self, identifier=None):
            return [OAI_DC]

        def listSets(self):
            return [(spec, f"Set {spec}", "") for spec in RECORDS.sets()]

        def listIdentifiers(self, metadataPrefix, set=None, from_=None, until=None):
            return [header(record) for record in RECORDS.within(from_, until, set)]

        def listRecords(self, metadataPrefix, set=None, from_=None, until=None):
            return [whole(record) for record in RECORDS.within(from_, until, set)]

        def getRecord(self, metadataPrefix, identifier):
            if identifier not in RECORDS.all():
                raise error.IdDoesNotExistError("there is no such record")
            return whole(RECORDS.all()[identifier])

    registry = metadata.MetadataRegistry()
    registry.registerWriter("oai_dc", server.oai_dc_writer)
    answering = server.Server(Repository(), metadata_registry=registry, resumption_batch_size=BATCH)
    return answering.handleRequest


def serve_oai_repo(url):
    import oai_repo

    class Data(oai_repo.DataInterface):
        limit = BATCH

        def get_identify(self):
            return oai_repo.Identify(
                repository_name="oai-repo",
                base_url=url,
                admin_email=["ada@example.org"],
                earliest_datestamp=EARLIEST,
                deleted_record="no",
                granularity="YYYY-MM-DDThh:mm:ssZ",
            )

        def is_valid_identifier(self, identifier):
            return identifier in RECORDS.all()

        def get_metadata_formats(self, identifier=None):
            return [oai_repo.MetadataFormat(*OAI_DC)]

        def get_record_header(self, identifier):
            record = RECORDS.all()[identifier]
            return oai_repo.RecordHeader(identifier, record["datestamp"], record["sets"])

        def get_record_metadata(self, identifier, metadataprefix):
            root = etree.Element(f"{{{OAI_DC[2]}}}dc", nsmap={"oai_dc": OAI_DC[2], None: DC})
            for name, texts in RECORDS.all()[identifier]["dc"].items():
                for text in texts:
                    etree.SubElement(root, f"{{{DC}}}{name}").text = text
            return root

        def get_record_abouts(self, identifier):
            return []

        def list_set_specs(self, identifier=None, cursor=0):
            specs = RECORDS.sets() if identifier is None else RECORDS.all()[identifier]["sets"]
            return specs[cursor : cursor + self.limit], len(specs), None

        def get_set(self, setspec):
            return oai_repo.Set(setspec, f"Set {setspec}", [])

        def list_identifiers(self, metadataprefix, filter_from=None, filter_until=None, filter_set=None, cursor=0):
            after, until = (when and when.replace(tzinfo=None) for when in (filter_from, filter_until))
            found = [record["id"] for record in RECORDS.within(after, until, filter_set)]
            return found[cursor : cursor + self.limit], len(found), None

    # It does not write the status of a record, so that deleted ones can only be missing.
    RECORDS.keep = lambda record: not record["deleted"]
    repository = oai_repo.OAIRepository(Data())
    return lambda arguments: bytes(repository.process(arguments))


class Quiet(WSGIRequestHandler):
    def log_request(self, *_):
        pass


def application(environ, start_response):
    body = answer(dict(parse_qsl(environ["QUERY_STRING"], keep_blank_values=True)))
    start_response("200 OK", [("Content-Type", "text/xml; charset=utf-8"), ("Content-Length", str(len(body)))])
    return [body]


server = make_server("127.0.0.1", 0, application, handler_class=Quiet)
url = f"http://127.0.0.1:{server.server_port}/oai"
answer = {"pyoai": serve_pyoai, "oai-repo": serve_oai_repo}[PROGRAM](url)
print(url, flush=True)
server.serve_forever()
