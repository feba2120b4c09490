import type { ArtifactBody } from './artifact-store.ts';

/**
 * Bytes of each block of a body but the last; as the parts of an upload to S3, which has at most 10,000 of them and of
 * one size.
 */
export const BLOCK_BYTES = 8 * 1024 * 1024;

/** A part of a body. */
export interface Block {
  /** From 0. */
  readonly at: number;
  /** Shared with threads if so wanted, and used again as soon as `take` is done with the block. */
  readonly bytes: Uint8Array;
  /** Whether there is no other. */
  readonly isOnly: boolean;
}

export interface CutOptions {
  /** Is given the blocks in their order, the next ones before it is done with one. An empty body is one empty block. */
  readonly take: (block: Block) => Promise<unknown>;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of a block. */
  readonly size?: number;
  /** How many blocks are on their way at a time, at most; the next one is filled meanwhile. */
  readonly mostUnderWay?: number;
  /** Whether other threads read the blocks, as by default: what is shared takes three times as long to be written. */
  readonly isShared?: boolean;
}

const DEFAULTS = { size: BLOCK_BYTES, mostUnderWay: 4, isShared: true };

/**
 * Cuts a body into blocks of one size. Resolves with its length in bytes when all of them are taken; rejects at once
 * when one cannot be, or the signal says so, however long the next bytes of the body take; nothing is being taken any
 * more then.
 */
export async function cutIntoBlocks(body: ArtifactBody, options: CutOptions): Promise<number> {
  const { signal } = options;
  const cutter = new BlockCutter({ ...DEFAULTS, ...options });
  const abort = (): void => cutter.fail(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    signal?.throwIfAborted();
    cutter.run(body).catch((error: unknown) => cutter.fail(error));
    return await cutter.ended;
  } finally {
    signal?.removeEventListener('abort', abort);
    await cutter.settled();
  }
}

type RequiredOptions = Required<Pick<CutOptions, 'take' | 'size' | 'mostUnderWay' | 'isShared'>>;

class BlockCutter {
  readonly ended: Promise<number>;
  readonly #options: RequiredOptions;
  readonly #free: ArrayBufferLike[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #resolve: (length: number) => void;
  readonly #reject: (reason: unknown) => void;
  #failed = false;
  #current: ArrayBufferLike | undefined;
  #used = 0;
  #given = 0;

  constructor(options: RequiredOptions) {
    this.#options = options;
    ({ promise: this.ended, resolve: this.#resolve, reject: this.#reject } = Promise.withResolvers<number>());
  }

  async run(body: ArtifactBody): Promise<void> {
    let length = 0;
    for await (const chunk of body) {
      // The end of this loop ends the body, too: no more of it is wanted.
      if (this.#failed) return;
      length += chunk.length;
      await this.#add(chunk);
    }
    if (this.#failed) return;
    const isOnly = this.#given === 0;
    if (this.#used > 0 || isOnly) this.#give(isOnly);
    await Promise.all(this.#underWay);
    this.#resolve(length);
  }

  fail(reason: unknown): void {
    this.#failed = true;
    this.#reject(reason);
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async #add(chunk: Uint8Array): Promise<void> {
    const { size, mostUnderWay } = this.#options;
    for (let taken = 0; taken < chunk.length; ) {
      // A full block waits for the byte after it: without one, it may be the only one.
      if (this.#used === size) this.#give(false);
      while (this.#current === undefined && this.#underWay.size >= mostUnderWay) await Promise.race(this.#underWay);
      if (this.#failed) return;
      this.#current ??= this.#free.pop() ?? this.#newBuffer(size);
      const part = chunk.subarray(taken, taken + size - this.#used);
      new Uint8Array(this.#current).set(part, this.#used);
      this.#used += part.length;
      taken += part.length;
    }
  }

  #newBuffer(size: number): ArrayBufferLike {
    return this.#options.isShared ? new SharedArrayBuffer(size) : new ArrayBuffer(size);
  }

  #give(isOnly: boolean): void {
    const buffer = this.#current ?? this.#newBuffer(0);
    const bytes = new Uint8Array(buffer, 0, this.#used);
    const taking = Promise.try(this.#options.take, { at: this.#given, bytes, isOnly })
      .then(() => {
        this.#free.push(buffer);
      })
      .catch((error: unknown) => this.fail(error))
      .finally(() => this.#underWay.delete(taking));
    this.#underWay.add(taking);
    this.#current = undefined;
    this.#used = 0;
    this.#given += 1;
  }
}
