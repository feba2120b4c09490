"""Writes files with faults as people make them with pymarc, into the folder that is its argument."""

import pathlib
import sys

from pymarc import Field, Indicators, MARCReader, Record, Subfield, XMLWriter

folder = pathlib.Path(sys.argv[1])


def field(tag, indicators, *subfields):
    return Field(tag=tag, indicators=Indicators(*indicators), subfields=[Subfield(*one) for one in subfields])


def record(*extra, id="ocm1"):
    made = Record(force_utf8=True)
    if id is not None:
        made.add_field(Field(tag="001", data=id))
    made.add_field(field("100", "1 ", ("a", "Zola, Émile,"), ("d", "1840-1902.")))
    made.add_field(field("245", "10", ("a", "Thérèse Raquin :"), ("b", "roman /"), ("c", "Émile Zola.")))
    made.add_field(field("500", "  ", ("a", "A first note.")))
    made.add_field(*extra) if extra else None
    return made


def save(name, made):
    (folder / name).write_bytes(made.as_marc())


def in_latin1(made, coding):
    """What as_marc writes of a record whose leader does not say UTF-8; then leader/09 is changed by hand."""
    made.force_utf8 = made.to_unicode = False
    made.leader = made.leader[:9] + " " + made.leader[10:]
    marc = bytearray(made.as_marc())
    marc[9] = ord(coding)
    return bytes(marc)


note = lambda text: field("500", "  ", ("a", text))
(folder / "latin-1.mrc").write_bytes(in_latin1(record(), "a"))
(folder / "latin-1-blank.mrc").write_bytes(in_latin1(record(), " "))
plain = Record()
plain.add_field(Field(tag="001", data="ocm2"), field("245", "00", ("a", "Plain title")))
plain.add_field(field("520", "  ", ("a", "He said \x93hello\x94 to all.")))
(folder / "windows-1252.mrc").write_bytes(in_latin1(plain, "a"))
save("control.mrc", record(note("with\x01 a control character")))
save("escape.mrc", record(field("880", "1 ", ("6", "100-01"), ("a", "\x1b(NGolx\x1b(B"))))
save("separator.mrc", record(field("505", "0 ", ("a", "Chapter 1\x1eChapter 2"))))
save("code.mrc", record(field("650", " 0", ("a", "France"), ("é", "Histoire"))))
save("indicators.mrc", record(field("700", ("1", ""), ("a", "Other, A."))))
save("no-001.mrc", record(id=None))
save("blank-001.mrc", record(id="   "))
save("long-field.mrc", record(field("505", "0 ", ("a", "Long contents. " * 1000))))
save("noncharacter.mrc", record(note("before\ufffeafter")))
# Read without decoding, as one does to avoid errors, and written again with the leader of another record.
rewritten = next(MARCReader(record().as_marc(), to_unicode=False))
(folder / "to-unicode-false.mrc").write_bytes(rewritten.as_marc())
with open(folder / "control.xml", "wb") as stream:
    writer = XMLWriter(stream)
    writer.write(record(note("one\x02two")))
    writer.close()
save("good.mrc", record())
