import type { Readable } from 'node:stream';
import { readSitemap, type Sitemap } from './sitemap-reader.ts';

export interface DocumentSlice extends Sitemap {
  /** Number of entries of the whole document. */
  readonly total: number;
}

/**
 * Reads some entries of a published document, and counts all. It reads the bytes once, as they arrive, and keeps only
 * the head and those entries: memory does not grow with the document, and a document of 50 MB never blocks the thread
 * for longer than one chunk takes.
 * @param start counted from 0
 */
export async function readSlice(
  body: Readable | Buffer,
  { start, most }: { readonly start: number; readonly most: number },
): Promise<DocumentSlice> {
  const kept: Buffer[] = [];
  let total = 0;
  let root: Root | undefined;
  let rest: Buffer = Buffer.alloc(0);
  // Everything before the first entry is the head.
  const isWanted = () => total === 0 || (total > start && total <= start + most);
  const keep = (part: Buffer) => {
    if (isWanted()) kept.push(part);
  };
  for await (const piece of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>)) {
    const bytes = Buffer.concat([rest, piece]);
    root ??= rootOf(bytes);
    let done = 0;
    let seen = 0;
    for (let at = beginning(bytes, root, 0); at !== -1; at = beginning(bytes, root, seen)) {
      keep(bytes.subarray(done, at));
      total += 1;
      done = at;
      seen = at + 1;
    }
    // The start of a mark may be at the end of the chunk.
    const end = Math.max(seen, bytes.length - LONGEST_MARK);
    keep(bytes.subarray(done, end));
    rest = bytes.subarray(end);
  }
  keep(rest);
  const text = Buffer.concat(kept).toString('utf8');
  return { ...readSitemap(isWanted() ? text : `${text}</${root}>`), total };
}

/**
 * The start of an entry, by the document's root. A `<` in a text is written as `&lt;`, so these bytes occur nowhere
 * else.
 */
const ENTRY_MARKS = { urlset: '<url>', sitemapindex: '<sitemap>' } as const;
type Root = keyof typeof ENTRY_MARKS;
const LONGEST_MARK = '<sitemapindex'.length;

/** The document's root, once it has arrived. */
function rootOf(bytes: Buffer): Root | undefined {
  return (['urlset', 'sitemapindex'] as const).find((root) => bytes.includes(`<${root}`));
}

/** The position of the next entry, or -1. */
function beginning(bytes: Buffer, root: Root | undefined, from: number): number {
  return root === undefined ? -1 : bytes.indexOf(ENTRY_MARKS[root], from);
}
