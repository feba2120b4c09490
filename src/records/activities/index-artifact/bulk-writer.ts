import type { estypes } from '@elastic/elasticsearch';
import { isTidemarkError } from '../../../core/errors.ts';
import { pauseAfter } from '../../../lib/calls/retry.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';

/** A document as two lines of a bulk request. */
export interface BulkDocument {
  /** The id of its record. */
  readonly id: string;
  readonly lines: string;
  /** Bytes of the lines. */
  readonly length: number;
}

export interface RefusedDocument {
  readonly id: string;
  readonly reason: string;
}

interface BulkOptions {
  readonly cluster: Cluster;
  readonly index: string;
  readonly signal: AbortSignal;
  onRefused(document: RefusedDocument): void;
}

/** Statuses of a server that is busy or temporarily unavailable: the same request may succeed later. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const TOO_LARGE = 413;
/** With the pauses below, about four minutes. */
const ATTEMPTS = 14;
const BACKOFF = { firstMs: 500, longestMs: 30_000 };

/**
 * Writes documents by bulk requests. If a server is too busy, or does not respond, the request is repeated after longer
 * and longer pauses; writing a document twice does no harm.
 */
export class BulkWriter {
  readonly #options: BulkOptions;

  constructor(options: BulkOptions) {
    this.#options = options;
  }

  /**
   * Returns the number of accepted documents.
   * @throws TidemarkError `unavailable` when the server stays unavailable; the signal's reason
   */
  async write(documents: readonly BulkDocument[]): Promise<number> {
    const { signal, onRefused } = this.#options;
    let refused = 0;
    let left = documents;
    for (let attempt = 1; left.length > 0; attempt++) {
      signal.throwIfAborted();
      const answers = await this.#send(left, attempt === ATTEMPTS);
      const again = left.filter((_, at) => answers[at] === 'again');
      for (const [at, { id }] of left.entries()) {
        const reason = answers[at] === 'again' && attempt === ATTEMPTS ? 'the server is too busy' : answers[at];
        if (reason === undefined || reason === 'again') continue;
        refused += 1;
        onRefused({ id, reason });
      }
      left = attempt === ATTEMPTS ? [] : again;
      if (left.length > 0) await pauseAfter(attempt, BACKOFF, signal);
    }
    return documents.length - refused;
  }

  /** For each document, `again`, or the reason why it was refused; undefined when it was accepted. */
  async #send(documents: readonly BulkDocument[], isLast: boolean): Promise<readonly (string | undefined)[]> {
    const { cluster, index } = this.#options;
    const lines = documents.map((document) => document.lines).join('');
    const filter = 'items.*.status,items.*.error.type,items.*.error.reason';
    try {
      const { items } = await cluster.bulk(lines, { index, filter_path: filter });
      return items!.map((item) => reasonOf(item.index!));
    } catch (error) {
      const status = statusOf(error);
      if (status === TOO_LARGE) return this.#sendParts(documents, isLast);
      if (isLast || !(status === undefined || PASSING.has(status))) throw error;
      return documents.map(() => 'again');
    }
  }

  /** A proxy may permit smaller requests than Elasticsearch does. */
  async #sendParts(documents: readonly BulkDocument[], isLast: boolean): Promise<readonly (string | undefined)[]> {
    if (documents.length === 1) return ['the server takes no request that is so large'];
    const half = Math.ceil(documents.length / 2);
    const first = await this.#send(documents.slice(0, half), isLast);
    return [...first, ...(await this.#send(documents.slice(half), isLast))];
  }
}

function reasonOf({ status, error }: estypes.BulkResponseItem): string | undefined {
  if (status < 300) return undefined;
  return PASSING.has(status) ? 'again' : `${error?.type ?? status}: ${error?.reason ?? ''}`;
}

/** Undefined when there was no response. @throws an error that is not a failure of the server */
function statusOf(error: unknown): number | undefined {
  if (!isTidemarkError(error, 'unavailable')) throw error;
  return error.details.status as number | undefined;
}
