import { removeIndices } from '../../../test/support/elasticsearch-indices.ts';
import { type Elasticsearch, startElasticsearch } from '../../services/elasticsearch.ts';
import type { BenchOptions, Figure } from '../figure.ts';
import { Tidemark } from './tidemark.ts';

/** A single node with the full compiler of Java, as in production, and 2 GB of heap. */
export class BenchServer {
  readonly url: string;
  readonly #options: BenchOptions;
  #prefixes = 0;

  constructor(url: string, options: BenchOptions) {
    this.url = url;
    this.#options = options;
  }

  /** For the names of the indices of one run. */
  nextPrefix(): string {
    this.#prefixes += 1;
    return `bench-${process.pid}-${this.#prefixes}`;
  }

  /**
   * A source whose store it is.
   * @param more variables
   */
  tidemark(prefix: string, more: NodeJS.ProcessEnv = {}): Promise<Tidemark> {
    const env = { TIDEMARK_STORE: this.url, TIDEMARK_INDEX_PREFIX: prefix, ...more };
    return Tidemark.create(this.#options.folder.next('data'), env);
  }

  remove(prefix: string): Promise<void> {
    return removeIndices(this.url, prefix);
  }
}

/** Measures on a server of its own, or on that of `BENCH_ELASTICSEARCH`. */
export async function onElasticsearch(
  options: BenchOptions,
  measure: (server: BenchServer) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const url = process.env.BENCH_ELASTICSEARCH;
  if (url !== undefined) return measure(new BenchServer(url, options));
  const folder = options.folder.next('elasticsearch');
  const started: Elasticsearch = await startElasticsearch({ folder, heap: '2g', jvm: [] });
  try {
    return await measure(new BenchServer(started.url, options));
  } finally {
    await started.kill();
  }
}
