import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { NdjsonLines } from '../../lib/bytes/ndjson-lines.ts';
import { type Erratum, parseErratum } from './erratum.ts';

/** Some errata, and the offset of the next ones; undefined after the last one. */
export interface ErrataPage {
  readonly errata: readonly Erratum[];
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
  artifacts: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
  { at, limit }: { readonly at: number; readonly limit: number },
): Promise<ErrataPage> {
  const range = { start: at, length: Math.min(PAGE_BYTES, limit * LINE_BYTES) };
  const { bytes, length } = await readLines(artifacts, key, range);
  const errata: Erratum[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    if (errata.length === limit) break;
    errata.push(...parseErratum(bytes.toString('utf8', begin, end)));
    begin = end + 1;
  }
  return { errata, next: begin === 0 || at + begin >= length ? undefined : at + begin };
}

/** The bytes of a range, extended until it contains a whole line: lines of an earlier version may be long. */
async function readLines(
  artifacts: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
  { start, length: given }: { readonly start: number; readonly length: number },
) {
  for (let most = given; ; most *= 4) {
    const { body, length } = await artifacts.get(key, { range: { start, length: most } });
    const bytes = await buffer(body);
    if (bytes.includes(NEWLINE) || start + bytes.length >= length) return { bytes, length };
  }
}

/** Reads errata one by one, in the order in which they were found. */
export async function* eachErratum(body: Readable): AsyncGenerator<Erratum> {
  const lines = new NdjsonLines();
  for await (const chunk of body) {
    for (const line of lines.push(chunk)) yield* parseErratum('text' in line ? line.text : '');
  }
}
