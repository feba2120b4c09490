import type { DocumentWithResult, ResultRow } from './result-row.ts';

export type SinkName = 'rows' | 'kafka';

/** Where results are written: a database or Kafka. test/contract/result-rows.ts tests these promises of databases. */
export interface ResultSink {
  /** Whether the table or the topics exist. @throws TidemarkError as `send` */
  exists(): Promise<boolean>;

  /** Makes them, unless they exist. @throws TidemarkError as `send` */
  create(): Promise<void>;

  /**
   * Writes results durably, each at most once in a call; the row of an earlier result of the same request is replaced.
   * What is refused does not keep the others from being written. Returns what was left out.
   * @throws TidemarkError `unavailable` with the detail `sink` when it does not answer, or permits nothing
   */
  send(results: readonly SentResult[]): Promise<readonly LeftOut[]>;

  close(): Promise<void>;
}

export interface SentResult {
  readonly document: DocumentWithResult;
  readonly row: ResultRow;
  /** From which the manifest can be read; undefined while the source has no base URL. */
  readonly manifestUrl: string | undefined;
}

/** What a sink has refused: the manifest alone, and the row went without it; or all of it. */
export interface LeftOut {
  readonly baseUrl: string;
  readonly what: 'manifest' | 'row';
  readonly reason: string;
}

/** Thrown by the write of an adapter when the values of a result are at fault. */
export class RefusedResult extends Error {}

/**
 * Writes all results at once. When they are refused, it writes each by itself, at last without its manifest.
 * @param write all of them or none. Throws RefusedResult
 */
export async function sendEach(
  results: readonly SentResult[],
  write: (results: readonly SentResult[]) => Promise<void>,
): Promise<readonly LeftOut[]> {
  if ((await refusalOf(write(results))) === undefined) return [];
  const leftOut: LeftOut[] = [];
  for (const result of results) {
    const reason = await refusalOf(write([result]));
    if (reason === undefined) continue;
    const without = { ...result, row: { ...result.row, manifest: null } };
    const what = (await refusalOf(write([without]))) === undefined ? 'manifest' : 'row';
    leftOut.push({ baseUrl: result.row.base_url, what, reason });
  }
  return leftOut;
}

async function refusalOf(writing: Promise<void>): Promise<string | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof RefusedResult) return error.message;
    throw error;
  }
}
