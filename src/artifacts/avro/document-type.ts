/** The key, in the header of a file of StreamRecords, of the media type of all its documents. */
const KEY = 'tidemark.mime';
/** The media type without that key: MARC21 in UTF-8 (RFC 2220). */
const USUAL = 'application/marc';

/** Metadata for the header of a file of StreamRecords. @param mime of its documents; undefined when it has none */
export function documentMetadata(mime: string | undefined): Readonly<Record<string, string>> {
  return mime === undefined || mime === USUAL ? {} : { [KEY]: mime };
}

/** The media type of the documents of a file of StreamRecords. */
export function documentType(metadata: ReadonlyMap<string, string>): string {
  return metadata.get(KEY) ?? USUAL;
}
