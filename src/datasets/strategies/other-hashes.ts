import { createHash, getHashes, type Hash } from 'node:crypto';
import type { PlatformFile } from '../manifest.ts';

/** What is computed of every file. */
const USUAL = ['md5', 'sha1', 'sha256'];

/** Digests by the name that platforms use, such as `sha512`. */
type OtherDigests = Readonly<Record<string, string>>;

/** Computes the digests that a platform states besides md5, sha1 and sha256, where this program can compute them. */
export class OtherHashes {
  readonly #running: readonly (readonly [string, Hash])[];

  constructor(files: readonly Pick<PlatformFile, 'hashes'>[]) {
    const names = new Set(files.flatMap(({ hashes }) => hashes.map(({ algorithm }) => algorithm)));
    this.#running = [...names].flatMap((name) => {
      const algorithm = USUAL.includes(name) ? undefined : algorithmOf(name);
      return algorithm === undefined ? [] : [[name, createHash(algorithm)] as const];
    });
  }

  /** Passes bytes on, and adds them. */
  async *tap<Bytes extends Uint8Array>(chunks: AsyncIterable<Bytes>): AsyncGenerator<Bytes, void, undefined> {
    for await (const chunk of chunks) {
      this.update(chunk);
      yield chunk;
    }
  }

  update(bytes: Uint8Array): void {
    for (const [, hash] of this.#running) hash.update(bytes);
  }

  /** The digests, for a copy; empty when there are none. Nothing can be added afterwards. */
  found(): { readonly otherHashes?: OtherDigests } {
    if (this.#running.length === 0) return {};
    return { otherHashes: Object.fromEntries(this.#running.map(([name, hash]) => [name, hash.digest('hex')])) };
  }
}

/** OpenSSL's name of an algorithm: platforms write `SHA-512` in many ways. */
function algorithmOf(name: string): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return getHashes().find((known) => plain(known) === plain(name));
}
