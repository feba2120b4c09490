import type { ResourceKey } from '../../../core/key.ts';
import { unescapeXml } from '../../../lib/escape-xml.ts';
import { URLSET_END } from './sitemap.ts';

const ENTRY = '<url><loc>';
const LOC_END = '</loc>';

/** A range of bytes of a document; `to` is exclusive. */
interface EntryRange {
  readonly from: number;
  readonly to: number;
}

/** The entries of a document as written by `urlEntry`, each on a separate line. */
export class RenderedEntries {
  readonly bytes: Buffer;
  /** The range of the entries, between the head and the end of the root. */
  readonly place: EntryRange;

  /** @throws Error when the document does not end as expected */
  constructor(document: Buffer) {
    const to = document.length - URLSET_END.length;
    if (to < 0 || document.toString('latin1', to) !== URLSET_END) throw new Error('the document is not whole');
    const first = document.indexOf(ENTRY);
    this.bytes = document;
    this.place = { from: first === -1 ? to : first, to };
  }

  /**
   * The range of the entry of a key, or an empty range where it would belong, in a document that is ordered by keys: a
   * binary search in bytes.
   */
  find(key: ResourceKey, urlPrefix: string): EntryRange {
    let { from, to } = this.place;
    while (from < to) {
      // The line that contains the middle.
      const line = this.bytes.lastIndexOf('\n', from + ((to - from) >> 1) - 1) + 1;
      const start = Math.max(line, from);
      const end = this.bytes.indexOf('\n', start) + 1;
      const other = this.#keyAt(start, urlPrefix);
      if (other === key) return { from: start, to: end };
      if (other < key) from = end;
      else to = start;
    }
    return { from, to: from };
  }

  #keyAt(start: number, urlPrefix: string): ResourceKey {
    const loc = this.bytes.toString('latin1', start + ENTRY.length, this.bytes.indexOf(LOC_END, start));
    const uri = unescapeXml(loc);
    return uri.startsWith(urlPrefix) ? `/${uri.slice(urlPrefix.length)}` : uri;
  }
}
