/** What people read of a kind of faults. Pages, commands, the API and docs/errors.md have these words. */
interface FaultWords {
  /** Names the fault in a list of groups, behind the field. Without it, groups have the reasons of their errata. */
  readonly title?: string;
  readonly cause: string;
  readonly advice: string;
}

const AS_UTF8 = 'Export in UTF-8 (Unicode) with "a" in leader/09, or in MARC-8 with a blank there.';
const ANEW = 'Write the file anew from the catalog, rather than with a program that edits MARC21 as text.';
const IN_CATALOG = 'Correct the field in the catalog, and export the record again.';
const BINARY = 'Transfer files as binary (FTP: type I), and compare the number of bytes at both ends.';
const NOTHING = 'The record was taken over all the same. To be rid of the warning:';

/** Each kind of faults of records and files, with its likely cause and what to do. */
export const FAULT_KINDS = {
  'latin-1': {
    title: 'bytes that are not UTF-8, although leader/09 is "a"',
    cause: 'The text is probably Latin-1 (ISO-8859-1) or Windows-1252: an "a" does not convert it.',
    advice: AS_UTF8,
  },
  'marc-8-as-utf-8': {
    title: 'bytes of MARC-8, although leader/09 is "a"',
    cause: 'The text is probably MARC-8: only leader/09 was changed to "a" (UTF-8), or a field was copied from MARC-8.',
    advice: `Convert the text with the leader, as "yaz-marcdump -f MARC-8 -t UTF-8 -l 9=97" does. ${AS_UTF8}`,
  },
  'cut-character': {
    title: 'a text that ends within a character',
    cause: 'A program has shortened the text to a number of bytes: of its last character, only a part is left.',
    advice: 'Correct the end of the text in the catalog, or have texts shortened to a number of characters.',
  },
  'not-utf-8': {
    title: 'bytes that are not UTF-8, although leader/09 is "a"',
    cause: 'Most of the record is UTF-8: this text was copied from another encoding, or damaged when it was sent.',
    advice: `Correct the marked text in the catalog, and send files as they are. ${AS_UTF8}`,
  },
  'utf-8-as-marc-8': {
    title: 'bytes that are neither MARC-8 nor UTF-8, and leader/09 is not "a"',
    cause: 'Most of the record is UTF-8, with some damaged characters, and leader/09 says MARC-8.',
    advice: 'Put "a" into leader/09 of records in UTF-8, and correct the marked text in the catalog.',
  },
  'not-marc-8': {
    title: 'bytes that are neither MARC-8 nor UTF-8, and leader/09 is not "a"',
    cause: 'The text is probably Latin-1 or another encoding; or the end of a passage in another script is not marked.',
    advice: AS_UTF8,
  },
  'double-utf-8': {
    title: 'text that looks like UTF-8 that was converted to UTF-8 twice',
    cause: 'A program took UTF-8 for Latin-1, and converted it again: "é" became "Ã©".',
    advice: `${NOTHING} convert once, and correct what is stored so in the catalog.`,
  },
  'control-character': {
    title: 'a control character in the text',
    cause: 'Text was pasted from a program, or sent through one, that leaves invisible characters in it.',
    advice: IN_CATALOG,
  },
  noncharacter: {
    title: 'a character that neither Unicode texts nor XML have',
    cause: 'A conversion has put U+FFFE or U+FFFF in the place of a character that it did not know.',
    advice: IN_CATALOG,
  },
  'separator-in-text': {
    title: 'a field or record separator within the text',
    cause: 'A text has the byte 1E or 1D, with which MARC21 ends fields and records.',
    advice: IN_CATALOG,
  },
  'subfield-in-control-field': {
    title: 'a control field with subfields',
    cause: 'A data field was given a tag below 010, or a control field a subfield code.',
    advice: 'Give the field the tag of a data field, or remove the subfield code. Fields 001 to 009 have none.',
  },
  'field-type': {
    title: 'a tag of the other type of field',
    cause: 'A <controlfield> has a tag from 010 on, or a <datafield> one below 010.',
    advice: 'Correct the tag, or the export: 001 to 009 are control fields, all others data fields.',
  },
  indicators: {
    title: 'indicators that MARC21 does not have',
    cause: 'A field has more or fewer than two indicators, or letters with accents as indicators.',
    advice: `${NOTHING} give the field two indicators in the catalog; blanks count.`,
  },
  'subfield-code': {
    title: 'a subfield code that MARC21 does not have',
    cause: 'A delimiter (1F, often typed as $, ‡ or |) has no letter or digit of ASCII behind it.',
    advice: `${NOTHING} correct the code in the catalog. Texts of subfields without a code were left out.`,
  },
  'empty-field': {
    title: 'a field without subfields',
    cause: 'A field is empty, or has text without a subfield code.',
    advice: `${NOTHING} remove the field in the catalog, or put its text into a subfield.`,
  },
  'text-outside-fields': {
    title: 'text outside of fields and subfields',
    cause: 'Text follows a tag of XML that can have elements alone, often left by an edit by hand.',
    advice: `${NOTHING} put the text into a <subfield>, or remove it.`,
  },
  tag: {
    title: 'a tag that is not three letters or digits',
    cause: 'A field has a tag such as "24" or "24 ", or the list of fields at the beginning of the record is damaged.',
    advice: IN_CATALOG,
  },
  'lengths-in-characters': {
    title: 'lengths that count characters in place of bytes',
    cause:
      'The program that wrote the file counted a letter such as é as one, or converted the text and kept the lengths.',
    advice: 'Have the program count bytes of UTF-8, or export MARCXML, which has no lengths.',
  },
  'line-ends': {
    title: 'lengths that are wrong since line ends were converted',
    cause: 'The file was sent or saved as text: each line feed in it became CR LF, or the other way round.',
    advice: BINARY,
  },
  'field-length': {
    title: 'a length of a field that is wrong',
    cause: 'The record was changed as text after it was written: what its beginning says of lengths is no longer true.',
    advice: ANEW,
  },
  leader: {
    title: 'a leader that is damaged',
    cause: 'The 24 characters at the beginning of the record are not those of a leader: some are missing or no ASCII.',
    advice: ANEW,
  },
  'cut-off': {
    title: 'a record that breaks off',
    cause: 'The file ends early, as after a failed transfer, or bytes are missing in it.',
    advice: `Send the whole file again. ${BINARY}`,
  },
  'not-a-record': {
    title: 'bytes between records that are not a record',
    cause: 'Something else is in the file: a message of the export program, a page of HTML, or the rest of a record.',
    advice: 'Open the file there, and remove what is not MARC21; if it is the rest of a record, export that again.',
  },
  'long-record': {
    title: 'a record above 99,999 bytes',
    cause: 'MARC21 has five digits for the length of a record. Many items or a long table of contents exceed that.',
    advice: 'Export MARCXML, which has no limit; or several records with the same 001, one behind the other.',
  },
  'long-field': {
    title: 'a field above 9,998 bytes',
    cause: 'MARC21 has four digits for the length of a field.',
    advice: 'Divide the field in the catalog into several with the same tag.',
  },
  'many-parts': {
    title: 'too many records with one id behind each other',
    cause: 'Records of different titles have one 001, or an export repeats a record without an end.',
    advice: 'Give each record an id of its own in 001.',
  },
  'part-of-record': {
    title: 'a record of several parts, one of which cannot be read',
    cause: 'Records that follow each other with one 001 are one record; a fault in one concerns all.',
    advice: 'Correct the part that the reason names, and export all of them again.',
  },
  'no-001': {
    title: 'no id, since the field is missing',
    cause: 'The export leaves out 001, or puts the id into another field, such as 035 or 907.',
    advice: 'Have the number of the record in your system exported as 001.',
  },
  'empty-001': {
    title: 'no id, since the field is empty',
    cause: 'The record has no number yet, as one that was never saved, or the export writes blanks.',
    advice: 'Have the number of the record in your system exported as 001.',
  },
  'bad-id': {
    title: 'an id with control characters',
    cause: 'A line break or another invisible character is in the id, as after a conversion of text.',
    advice: 'Correct the id: it has to be one line of visible characters.',
  },
  'repeated-id': {
    title: 'an id that came before in the file',
    cause: 'Two records have the same 001, or the export writes a record more than once.',
    advice: 'Of records with one id, the last counts. Give each record its own 001, or export each once.',
  },
  normalization: {
    title: 'a field of items that is too long after normalization',
    cause: 'The normalization of the organization adds a field with what items say, and MARC21 has 9,998 bytes for it.',
    advice: 'Shorten the field of items in the catalog, or leave out a subfield in the settings of the organization.',
  },
  'no-leader': {
    title: 'no leader',
    cause: 'The <record> has no <leader>, or two.',
    advice: 'Export each record with one leader of 24 characters.',
  },
  'no-namespace': {
    title: 'no namespace of MARCXML',
    cause: 'The <record> has no xmlns="http://www.loc.gov/MARC21/slim", as some programs write it.',
    advice: 'Add xmlns="http://www.loc.gov/MARC21/slim" to <collection>, or to each <record>.',
  },
  'no-records': {
    title: 'a file without records',
    cause: 'The file has elements of MARCXML, but no <record> of its namespace.',
    advice: 'Check what was exported. A night without changes is an empty <collection> of the namespace.',
  },
  element: {
    title: 'an element that MARCXML does not have there',
    cause: 'Elements are nested otherwise than MARCXML does: a <subfield> beside fields, or markup within a text.',
    advice: 'Write < in texts as &lt;, and each <subfield> within a <datafield>.',
  },
  'xml-not-utf-8': {
    title: 'bytes that are not UTF-8',
    cause: 'The XML is in Latin-1 or Windows-1252, and does not say so in its first line.',
    advice: 'Save it as UTF-8, or declare its encoding: <?xml version="1.0" encoding="ISO-8859-1"?>.',
  },
  'xml-encoding': {
    cause: 'The first line of the XML declares another encoding than the file has.',
    advice: 'Save it as UTF-8, and declare that or nothing.',
  },
  entity: {
    title: 'an entity that XML does not have',
    cause: 'Names such as &eacute; or &nbsp; are those of HTML; XML has &amp; &lt; &gt; &quot; and &apos; alone.',
    advice: 'Write the character itself in UTF-8, or its number: &#233;. Write & in texts and links as &amp;.',
  },
  'xml-character': {
    title: 'a character that XML does not have',
    cause: 'Text was pasted from a program that leaves invisible control characters, which XML cannot have at all.',
    advice: 'Remove the character in the catalog, or have the export leave out control characters.',
  },
  'malformed-xml': {
    title: 'XML that is not well-formed',
    cause: 'The file was cut off or joined by hand, or texts have < or & as they are.',
    advice: 'Check it with "xmllint --noout FILE". Write < as &lt; and & as &amp;, and send the whole file again.',
  },
  'document-type': {
    title: 'a document type (DOCTYPE)',
    cause: 'The XML has a <!DOCTYPE …>, which MARCXML does not have, and which could make a small file huge.',
    advice: 'Remove the DOCTYPE.',
  },
  'too-large': {
    title: 'XML beyond the limits',
    cause: 'A text, a record or the nesting of its elements exceeds what is read.',
    advice: 'Check the export: most often a tag is never closed.',
  },
  'long-line': {
    title: 'a line that is too long to be an id',
    cause: 'The file has several ids in a line, or is not a list of ids.',
    advice: 'Write one id a line, as field 001 has it, of at most 255 bytes.',
  },
  'line-not-utf-8': {
    title: 'a line that is not UTF-8',
    cause: 'The list was saved in Latin-1 or Windows-1252.',
    advice: 'Save the list as UTF-8.',
  },
  'oai-record': {
    cause: 'The repository writes a record that OAI-PMH does not allow.',
    advice: 'Have the repository corrected: the reason says what was expected.',
  },
  'oai-page': {
    cause: 'The response is not complete, or not one of OAI-PMH to ListRecords or GetRecord.',
    advice: 'Save the response again, and send it as it came.',
  },
  'oai-odd': {
    cause: 'The repository writes something that OAI-PMH does not have, and that can be taken all the same.',
    advice: `${NOTHING} have the repository corrected.`,
  },
  transform: {
    cause: 'The transform of the collection, or the schema of its format, refuses the metadata of the record.',
    advice: 'Compare the metadata with what the reason names, and correct either the record or the transform.',
  },
  'damaged-package': {
    cause: 'The package was cut off or changed after it was made, as by a transfer that failed.',
    advice: `Test it ("gzip -t", "unzip -t", "tar -tf"), make it again, and send it again. ${BINARY}`,
  },
} as const satisfies Readonly<Record<string, FaultWords>>;

export type FaultKind = keyof typeof FAULT_KINDS;

/** The words of a kind; undefined for kinds of activities, and of earlier versions. */
export function faultWords(kind: string | undefined): FaultWords | undefined {
  return kind !== undefined && Object.hasOwn(FAULT_KINDS, kind) ? FAULT_KINDS[kind as FaultKind] : undefined;
}
