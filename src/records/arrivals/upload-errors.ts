import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import { NdjsonLines } from '../../lib/ndjson-lines.ts';
import type { NamedUpload } from './upload.ts';
import { statusOf, type UploadErratum, type UploadState } from './upload-state.ts';

type Artifacts = Pick<ArtifactStore, 'get'>;

/**
 * The errata of an upload, as lines of JSON (UploadErratum); undefined when there are none.
 * @throws TidemarkError `conflict` when the upload was not read; as `ArtifactStore.get`
 */
export async function openErrata(
  artifacts: Artifacts,
  { organization, stream, number }: NamedUpload,
  state: UploadState | undefined,
): Promise<Readable | undefined> {
  if (state?.read === undefined) {
    const message = `the upload ${organization}/${stream}/${number} is ${statusOf(state)}: its files were not read yet`;
    throw new TidemarkError('conflict', message, { organization, stream, upload: number });
  }
  const { errata } = state.read;
  return errata === undefined ? undefined : (await artifacts.get(errata)).body;
}

/** Some errata, and the offset of the next ones; undefined after the last one. */
export interface ErrataPage {
  readonly errata: readonly UploadErratum[];
  readonly next: number | undefined;
}

/** Most bytes that are read for a page: enough for hundreds of errata. */
const PAGE_BYTES = 1_048_576;
/** Bytes that are read for each erratum of a small page; most lines are shorter. */
const LINE_BYTES = 65_536;
const NEWLINE = 0x0a;

/**
 * The errata of an artifact from an offset on, at which an erratum must begin. Pages can be read independently.
 * @throws TidemarkError `invalid` for an offset beyond the end; as `ArtifactStore.get`
 */
export async function readErrata(
  artifacts: Artifacts,
  key: ObjectKey,
  { at, limit }: { readonly at: number; readonly limit: number },
): Promise<ErrataPage> {
  const { bytes, length } = await readLines(artifacts, key, {
    start: at,
    length: Math.min(PAGE_BYTES, limit * LINE_BYTES),
  });
  const errata: UploadErratum[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    if (errata.length === limit) break;
    errata.push(...parsed(bytes.toString('utf8', begin, end)));
    begin = end + 1;
  }
  return { errata, next: begin === 0 || at + begin >= length ? undefined : at + begin };
}

/** The bytes of a range, extended until it contains a whole line: lines of an earlier version may be long. */
async function readLines(
  artifacts: Artifacts,
  key: ObjectKey,
  { start, length: given }: { start: number; length: number },
) {
  for (let most = given; ; most *= 4) {
    const { body, length } = await artifacts.get(key, { range: { start, length: most } });
    const bytes = await buffer(body);
    if (bytes.includes(NEWLINE) || start + bytes.length >= length) return { bytes, length };
  }
}

/** Reads errata one by one, in the order in which they were found. */
export async function* eachErratum(body: Readable): AsyncGenerator<UploadErratum> {
  const lines = new NdjsonLines();
  for await (const chunk of body) for (const line of lines.push(chunk)) yield* parsed('text' in line ? line.text : '');
}

/** Returns none when the offset was not the start of a line: a link may be written by hand. */
function parsed(line: string): readonly UploadErratum[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
