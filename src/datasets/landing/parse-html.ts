import { formatCount } from '../../lib/format-count.ts';
import { ThreadPool } from '../../lib/workers/pool.ts';
import { startWorker } from '../../lib/workers/rpc.ts';
import { shownUrl } from '../fetch/shown-url.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { HtmlFunctions } from './parse-html.worker.ts';
import type { PageToRead, ReadPage } from './read-page.ts';

/** Reads pages in threads: one that is made to take long takes no time of others. */
export interface HtmlParser {
  /**
   * The bytes are transferred: the caller cannot use them afterwards.
   * @throws IngestFailure `html-too-complex` for a page that takes too long, or too much memory; the signal's reason
   */
  parse(page: PageToRead, signal: AbortSignal): Promise<ReadPage>;
  close(): Promise<void>;
}

const THREADS = 2;
const IDLE_MS = 10_000;
/** A page has 5 MB at most. */
const MOST_MEMORY_MB = 256;
/** In JSON-LD, which is read outside of the thread: four for each of 10,000 files, and more than that. */
const MOST_OBJECTS = 60_000;

/** @param timeoutMs milliseconds for a page; 5 s by default */
export function openHtmlParser({ timeoutMs = 5_000 } = {}): HtmlParser {
  const resourceLimits = { maxOldGenerationSizeMb: MOST_MEMORY_MB };
  const start = () => startWorker('./parse-html.worker', import.meta.url, { workerData: undefined, resourceLimits });
  const threads = new ThreadPool<HtmlFunctions>(THREADS, { work: 'reading a landing page', start, idleMs: IDLE_MS });
  return {
    async parse(page, signal) {
      const limit = () => AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        const read = await threads.call('readPage', [page], limit, [page.bytes.buffer]);
        if (read.objects <= MOST_OBJECTS) return read;
      } catch (error) {
        signal.throwIfAborted();
        const problem = problemOf(error as Error, timeoutMs);
        if (problem === undefined) throw error;
        throw new IngestFailure('html-too-complex', messageOf(page.url, problem), { cause: error });
      }
      const problem = `has more than ${formatCount(MOST_OBJECTS)} objects in its JSON-LD`;
      throw new IngestFailure('html-too-complex', messageOf(page.url, problem));
    },
    close: () => threads.close(),
  };
}

function problemOf(error: Error, timeoutMs: number): string | undefined {
  if (error.name === 'TimeoutError') return `takes longer than ${timeoutMs / 1000} s to be read`;
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? `takes more than ${MOST_MEMORY_MB} MB of memory to be read` : undefined;
}

const messageOf = (url: string, problem: string) =>
  `the page ${shownUrl(url)} ${problem}: request the dataset by another URL, such as that of its files`;
