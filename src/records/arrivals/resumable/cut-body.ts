import { TidemarkError } from '../../../core/errors.ts';

/** Cuts a body into consecutive pieces: parts of a file that arrives, or files of one upload. */
export class CutBody {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #left: number;
  #waiting: Uint8Array | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @param left most bytes that may follow */
  constructor(body: AsyncIterable<Uint8Array>, left: number) {
    this.#chunks = body[Symbol.asyncIterator]();
    this.#left = left;
  }

  /** Whether there is another byte to store. */
  async hasMore(): Promise<boolean> {
    while (this.#waiting === undefined && this.#failure === undefined) {
      try {
        const { done, value } = await this.#chunks.next();
        if (done) return false;
        if (value.length > this.#left) throw tooLong();
        this.#left -= value.length;
        if (value.length > 0) this.#waiting = value;
      } catch (error) {
        this.#failure = { error };
      }
    }
    return this.#waiting !== undefined;
  }

  /** The next bytes, at most `most`; fewer when the body ends or breaks off: see `requireWhole`. */
  async *next(most: number): AsyncGenerator<Uint8Array> {
    for (let left = most; left > 0 && (await this.hasMore()); ) {
      const chunk = this.#waiting!;
      const taken = chunk.subarray(0, left);
      this.#waiting = taken.length < chunk.length ? chunk.subarray(taken.length) : undefined;
      left -= taken.length;
      yield taken;
    }
  }

  /** @throws the error that broke off the body */
  requireWhole(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

function tooLong(): TidemarkError {
  return new TidemarkError(
    'invalid',
    'the request has more bytes than Upload-Length, or the largest size of an upload, leaves',
    { field: 'body' },
  );
}
