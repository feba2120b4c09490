import type { ByteList } from '../../lib/zip/byte-list.ts';
import { mostBytesOf, type ZipWriter } from '../../lib/zip/zip-writer.ts';
import { URLSET_END } from '../render/documents/sitemap.ts';
import { MANIFEST_LEVEL } from './pack-job.ts';

/** The entry of a manifest in its package, without its time. */
export const MANIFEST_ENTRY = { name: 'manifest.xml', compress: true, level: MANIFEST_LEVEL } as const;

interface OpenPackage {
  readonly zip: ZipWriter;
  /** The entries of the manifest. */
  readonly entries: ByteList;
  /** The start of the manifest. */
  readonly head: string;
  readonly mostBytes: number;
}

/**
 * The room in a package. It counts all that will be in the file, also the manifest and the central directory, which are
 * written last. The manifest counts as if it were not compressed, so a package has `mostBytes` or fewer.
 */
export class PackageRoom {
  readonly #of: OpenPackage;
  /** Bytes. */
  readonly #frame: number;

  constructor(of: OpenPackage) {
    this.#of = of;
    this.#frame = mostBytesOf({ ...MANIFEST_ENTRY, modified: 0 }, Buffer.byteLength(of.head) + URLSET_END.length);
  }

  /**
   * Whether there is room for a resource. There always is for the first one, however large it is.
   * @param bytes most bytes that the resource adds to the file, without the manifest
   * @param text its entry in the manifest
   */
  isFor(bytes: number, text: string): boolean {
    const { zip, entries, mostBytes } = this.#of;
    if (entries.count === 0) return true;
    return zip.lengthAtEnd + entries.length + this.#frame + bytes + Buffer.byteLength(text) <= mostBytes;
  }
}
