import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ask } from './ask.ts';
import { type ParsedDocument, parseDocument, type XmlElement } from './parse-document.ts';
import type { SetReader } from './set-reader.ts';

/**
 * Keeps a copy of a set in sync as a client does that begins with the Resource Dump: every package once, then every
 * change after the `at` of the dump, whose bytes it fetches. It requires that each package has what its manifest says.
 */
export class DumpFollower {
  readonly #reader: SetReader;
  /** The digests of the bytes, by URI. */
  readonly copy = new Map<string, string>();
  /** All changes up to this time are in the copy. */
  reached: string;
  /** Resources that came from packages. */
  unpacked = 0;

  private constructor(reader: SetReader, at: string) {
    this.#reader = reader;
    this.reached = at;
  }

  static async start(reader: SetReader): Promise<DumpFollower> {
    const dump = await reader.document('resourcedump.xml');
    const follower = new DumpFollower(reader, mdOf(dump.root).at!);
    for (const list of await partsOf(reader, dump)) {
      for (const entry of named(list.root, 'url')) await follower.#unpack(locOf(entry), mdOf(entry));
    }
    return follower;
  }

  /** Applies what is new, and returns how many changes that were. */
  async step(): Promise<number> {
    let applied = 0;
    for (const { changes } of await this.#reader.changeWindows(this.reached)) {
      for (const { uri, change, datetime } of changes) {
        if (datetime <= this.reached) continue;
        if (change === 'deleted') this.copy.delete(uri);
        else await this.#fetch(uri);
        this.reached = datetime;
        applied += 1;
      }
    }
    return applied;
  }

  async #unpack(uri: string, { hash, length }: Record<string, string | undefined>): Promise<void> {
    const { status, bytes } = await ask(uri);
    assert.equal(status, 200, uri);
    assert.deepEqual([`sha-256:${sha256(bytes)}`, String(bytes.length)], [hash, length]);
    const files = await unzip(bytes);
    const manifest = parseDocument(uri, files.get('manifest.xml')!.toString());
    for (const entry of named(manifest.root, 'url')) {
      const { path = '', ...md } = mdOf(entry);
      const digest = sha256(files.get(path.slice(1))!);
      assert.equal(`sha-256:${digest}`, md.hash, `${path} in ${uri}`);
      this.copy.set(locOf(entry), digest);
      this.unpacked += 1;
    }
  }

  /** As it is now: when it was changed once more, that change comes as well. */
  async #fetch(uri: string): Promise<void> {
    const { status, bytes } = await ask(uri);
    if (status === 200) this.copy.set(uri, sha256(bytes));
    else assert.equal(status, 404, uri);
  }
}

/** The lists of packages: the dump itself, or what its index names. */
async function partsOf(reader: SetReader, dump: ParsedDocument): Promise<readonly ParsedDocument[]> {
  const parts = named(dump.root, 'sitemap');
  return parts.length === 0 ? [dump] : Promise.all(parts.map((part) => reader.document(locOf(part))));
}

async function unzip(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await fromBufferPromise(bytes);
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  }
  return files;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const named = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name);
const locOf = (entry: XmlElement) => named(entry, 'loc')[0]!.text;
const mdOf = (entry: XmlElement): Record<string, string | undefined> => named(entry, 'rs:md')[0]!.attributes;
