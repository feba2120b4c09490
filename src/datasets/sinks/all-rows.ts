import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { Datasets } from '../datasets.ts';
import type { RequestDocument } from '../request.ts';
import { manifestFilesOf } from './manifest-files.ts';
import { hasResult, type ResultRow, rowOf } from './result-row.ts';

const PAGE = 100;

interface RowsParts {
  readonly catalog: Pick<Catalog, 'latest'>;
  readonly datasets: Pick<Datasets, 'manifest'>;
  /** A row has no manifest, since it cannot be read. */
  onMissing(baseUrl: string, reason: string): void;
}

/**
 * The rows of all results, from the documents: some at a time.
 * @throws TidemarkError `unavailable` when the artifact store does not answer
 */
export async function* allRows({ catalog, datasets, onMissing }: RowsParts): AsyncGenerator<ResultRow> {
  const all = { kind: 'dataset-request', prefix: '', limit: PAGE } as const;
  for await (const { documents } of latestPages<RequestDocument>(catalog, all)) {
    for (const { body } of documents) {
      if (!hasResult(body)) continue;
      const missing = (reason: string) => onMissing(body.request.base_url, reason);
      yield rowOf(body, await manifestFilesOf(body, datasets, missing));
    }
  }
}
