/** Where the blocks of a body are in memory. */
export interface BlockMemory {
  take(bytes: number): ArrayBufferLike;

  /** Takes back memory that is not used any more. */
  give(memory: ArrayBufferLike): void;
}

/** Memory of this thread. It is freed at once: as garbage it might stay until several packages are written. */
export const OWN_MEMORY: BlockMemory = {
  take: (bytes) => new ArrayBuffer(bytes),
  give: (memory) => {
    (memory as ArrayBuffer).transfer(0);
  },
};

/** Memory that other threads can read: see lib/bytes/copy-bytes.ts. */
export const SHARED_MEMORY: BlockMemory = {
  take: (bytes) => new SharedArrayBuffer(bytes),
  give() {},
};

/** The types of TypeScript have it only for browsers. */
declare const WebAssembly: {
  readonly Memory: new (limits: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: boolean;
  }) => { readonly buffer: ArrayBufferLike };
};

const PAGE_BYTES = 65_536;
/** The blocks of four bodies, such as files of a dataset that are stored at the same time. */
const MOST_KEPT = 12;

/**
 * Memory for writes that pass by the page cache: its address must be a multiple of 4 kB, mostly. Only WebAssembly gives
 * such memory to a program of Node, at multiples of 64 kB. Nothing frees it at once, so some of it is kept for the next
 * body.
 */
class AlignedMemory implements BlockMemory {
  readonly #isShared: boolean;
  readonly #kept: ArrayBufferLike[] = [];

  constructor(isShared: boolean) {
    this.#isShared = isShared;
  }

  take(bytes: number): ArrayBufferLike {
    const kept = this.#kept.pop();
    return kept?.byteLength === bytes ? kept : this.#new(bytes);
  }

  give(memory: ArrayBufferLike): void {
    if (this.#kept.length < MOST_KEPT) this.#kept.push(memory);
  }

  #new(bytes: number): ArrayBufferLike {
    const pages = Math.ceil(bytes / PAGE_BYTES);
    try {
      return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: this.#isShared }).buffer;
    } catch {
      // It reserves gigabytes of addresses, which a limit of the process may forbid. Other memory is only slower.
      return (this.#isShared ? SHARED_MEMORY : OWN_MEMORY).take(bytes);
    }
  }
}

export const ALIGNED_MEMORY: BlockMemory = new AlignedMemory(false);
export const ALIGNED_SHARED_MEMORY: BlockMemory = new AlignedMemory(true);
