import { DamagedFile } from './found-file.ts';

const NO_BYTES = Buffer.alloc(0);

/** Bytes as they arrive; the next ones can be peeked at before they are read. Only `close` ends the source. */
export class Lookahead implements AsyncIterable<Buffer> {
  readonly #source: AsyncIterator<Uint8Array>;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #position = 0;
  #ended = false;
  #damage: DamagedFile | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /** Number of bytes that were read. */
  get position(): number {
    return this.#position;
  }

  /** The damage after the peeked bytes, if there is one. */
  get damage(): DamagedFile | undefined {
    return this.#damage;
  }

  /** The next bytes; fewer when the input ends. They remain to be read. Damage is thrown only by reading. */
  async peek(bytes: number): Promise<Buffer> {
    while (this.#keptBytes < bytes && (await this.#pull()));
    if (this.#kept.length > 1) this.#kept = [Buffer.concat(this.#kept)];
    return this.#kept[0]?.subarray(0, bytes) ?? NO_BYTES;
  }

  /** The next available bytes, at most `most`; none at the end. @throws DamagedFile */
  async read(most: number): Promise<Buffer> {
    while (this.#kept.length === 0 && (await this.#pull()));
    const [first] = this.#kept;
    if (first === undefined) {
      if (this.#damage !== undefined) throw this.#damage;
      return NO_BYTES;
    }
    const bytes = first.subarray(0, most);
    if (bytes.length === first.length) this.#kept.shift();
    else this.#kept[0] = first.subarray(most);
    this.#keptBytes -= bytes.length;
    this.#position += bytes.length;
    return bytes;
  }

  /** Exactly `bytes` bytes; fewer at the end. @throws DamagedFile when there are none before the damage */
  async take(bytes: number): Promise<Buffer> {
    const taken = (await this.peek(bytes)).length;
    return taken === 0 && bytes > 0 ? this.read(bytes) : this.read(taken);
  }

  /** Skips `bytes` bytes, or fewer at the end. @throws DamagedFile */
  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) {
      const skipped = (await this.read(left)).length;
      if (skipped === 0) return;
      left -= skipped;
    }
  }

  /** Iterates like a generator, but can be left and continued. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    for (let bytes = await this.read(Infinity); bytes.length > 0; bytes = await this.read(Infinity)) yield bytes;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #pull(): Promise<boolean> {
    if (this.#ended) return false;
    try {
      const { value, done } = await this.#source.next();
      this.#ended = done === true;
      if (this.#ended || value.length === 0) return !this.#ended;
      this.#kept.push(Buffer.from(value.buffer, value.byteOffset, value.length));
      this.#keptBytes += value.length;
      return true;
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      this.#ended = true;
      this.#damage = error;
      return false;
    }
  }
}
