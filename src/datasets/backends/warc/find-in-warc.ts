import type { ArtifactStore, ObjectKey } from '../../../artifacts/artifact-store.ts';
import { mediaTypeOf } from '../../fetch/media-type-of.ts';
import { shownUrl } from '../../fetch/shown-url.ts';
import type { StoredBefore } from '../taken-over.ts';
import { FILE_NUMBER } from './captured-file.ts';

type Reads = Pick<ArtifactStore, 'readSmall'>;

interface FoundRecord {
  readonly fields: Readonly<Record<string, string>>;
  /** Of the block in the WARC. */
  readonly start: number;
  readonly length: number;
}

/** Enough for the header of a record, and for the head of a response. */
const HEAD_BYTES = 64 * 1024;

/**
 * Finds the files in a WARC of an earlier attempt. A WARC is stored whole or not at all; one that cannot be read, such
 * as one that was damaged, has no files.
 * @param length of the artifact in bytes
 */
export async function findInWarc(
  artifacts: Reads,
  artifact: ObjectKey,
  length: number,
): Promise<readonly StoredBefore[]> {
  const found: StoredBefore[] = [];
  const head = (start: number, most: number): Promise<Uint8Array> =>
    artifacts.readSmall(artifact, { start, length: Math.max(Math.min(most, HEAD_BYTES), 1) });
  let response: FoundRecord | undefined;
  for (let at = 0; at < length; ) {
    const record = recordAt(await head(at, length - at), at);
    if (record === undefined) return found;
    const { fields, start } = record;
    if (fields['warc-type'] === 'response') response = record;
    if (fields['warc-type'] === 'metadata' && response !== undefined) {
      const number = numberIn(await head(start, record.length));
      const ofResponse = linesOf(await head(response.start, response.length));
      if (number !== undefined && ofResponse !== undefined)
        found.push(fileOf(response, ofResponse, { number, artifact }));
    }
    at = start + record.length + 4;
  }
  return found;
}

function fileOf(
  { fields, start, length }: FoundRecord,
  head: Lines,
  { number, artifact }: { readonly number: number; readonly artifact: ObjectKey },
): StoredBefore {
  const mimetype = mediaTypeOf(head.fields['content-type']);
  return {
    number,
    terminalUrl: shownUrl(fields['warc-target-uri'] ?? ''),
    terminalDt: (fields['warc-date'] ?? '').replaceAll(/\D/g, '').slice(0, 14),
    ...(mimetype !== '' && { mimetype }),
    stored: { artifact, offset: start + head.end, length: length - head.end },
  };
}

function recordAt(bytes: Uint8Array, at: number): FoundRecord | undefined {
  const lines = linesOf(bytes);
  const length = Number(lines?.fields['content-length']);
  if (lines === undefined || lines.first !== 'WARC/1.1' || !Number.isSafeInteger(length)) return undefined;
  return { fields: lines.fields, start: at + lines.end, length };
}

function numberIn(bytes: Uint8Array): number | undefined {
  const text = new RegExp(`^${FILE_NUMBER}: (\\d+)\r\n`).exec(Buffer.from(bytes).toString('latin1'))?.[1];
  return text === undefined ? undefined : Number(text);
}

interface Lines {
  readonly first: string;
  /** By name in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  /** After the empty line. */
  readonly end: number;
}

function linesOf(bytes: Uint8Array): Lines | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = head.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = head.toString('utf8', 0, end).split('\r\n');
  const fields = lines.map((line) => {
    const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? [];
    return [name.toLowerCase(), value] as const;
  });
  return { first, fields: Object.fromEntries(fields), end: end + 4 };
}
