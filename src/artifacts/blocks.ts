import { copyBytes } from '../lib/bytes/copy-bytes.ts';
import type { ArtifactBody } from './artifact-store.ts';
import { type BlockMemory, SHARED_MEMORY } from './block-memory.ts';

/**
 * Bytes of each block of a body except the last. The same as for parts of an upload to S3, which has at most 10,000
 * parts, of one size.
 */
export const BLOCK_BYTES = 8 * 1024 * 1024;

/** A shorter body has no memory of a whole block. */
const SMALL_BYTES = 64 * 1024;

/** A part of a body. */
export interface Block {
  /** From 0. */
  readonly at: number;
  /** The bytes of the block. Their memory is used again once `take` has resolved. */
  readonly bytes: Uint8Array;
  /** Whether it is the only block. */
  readonly isOnly: boolean;
}

interface CutOptions {
  /** Called with each block, in order, without waiting for earlier calls. An empty body is one empty block. */
  readonly take: (block: Block) => Promise<unknown>;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of each block. */
  readonly size?: number;
  /** Most calls of `take` at a time; the next block is filled meanwhile. */
  readonly mostUnderWay?: number;
  /** Where blocks are in memory; by default, other threads can read them. */
  readonly memory?: BlockMemory;
}

const DEFAULTS = { size: BLOCK_BYTES, mostUnderWay: 4, memory: SHARED_MEMORY };

/**
 * Cuts a body into blocks of one size. Resolves with its length in bytes once all blocks were taken. Rejects at once
 * when a block fails or the signal is aborted, without waiting for more of the body; no call of `take` is pending then.
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

type RequiredOptions = Required<Pick<CutOptions, 'take' | 'size' | 'mostUnderWay' | 'memory'>>;

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
      // Returning ends the iteration of the body: no more of it is needed.
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
    for (const memory of this.#free.splice(0)) this.#options.memory.give(memory);
  }

  async #add(chunk: Uint8Array): Promise<void> {
    const { size, mostUnderWay } = this.#options;
    for (let taken = 0; taken < chunk.length; ) {
      // A full block waits for the next byte: without one, it may be the only block.
      if (this.#used === size) this.#give(false);
      while (this.#current === undefined && this.#underWay.size >= mostUnderWay) await Promise.race(this.#underWay);
      if (this.#failed) return;
      const part = chunk.subarray(taken, taken + size - this.#used);
      copyBytes(part, new Uint8Array(this.#roomFor(part.length)), this.#used);
      this.#used += part.length;
      taken += part.length;
    }
  }

  /** Memory with room for more bytes of the current block, and with those that are in it. */
  #roomFor(bytes: number): ArrayBufferLike {
    const before = this.#current;
    const needed = this.#used + bytes;
    if (before !== undefined && needed <= before.byteLength) return before;
    const { memory, size } = this.#options;
    const isSmall = this.#given === 0 && needed <= SMALL_BYTES && SMALL_BYTES < size;
    this.#current = isSmall
      ? new ArrayBuffer(Math.min(2 * needed, SMALL_BYTES))
      : (this.#free.pop() ?? memory.take(size));
    if (before !== undefined) copyBytes(new Uint8Array(before, 0, this.#used), new Uint8Array(this.#current), 0);
    return this.#current;
  }

  #give(isOnly: boolean): void {
    const buffer = this.#current ?? new ArrayBuffer(0);
    const bytes = new Uint8Array(buffer, 0, this.#used);
    const taking = Promise.try(this.#options.take, { at: this.#given, bytes, isOnly })
      .then(() => {
        if (buffer.byteLength >= this.#options.size) this.#free.push(buffer);
      })
      .catch((error: unknown) => this.fail(error))
      .finally(() => this.#underWay.delete(taking));
    this.#underWay.add(taking);
    this.#current = undefined;
    this.#used = 0;
    this.#given += 1;
  }
}
