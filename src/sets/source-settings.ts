import { TidemarkError, unlessConflict } from '../core/errors.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';

/** The settings of the whole source. */
export interface SourceSettings {
  readonly baseUrl: string;
  /**
   * False until a server publishes with the base URL: no client knows it before. Absent in a source of an older
   * version, which may have published.
   */
  readonly served?: boolean;
}

/** The catalog document with the settings of the source. */
export class StoredSource {
  readonly #catalog: Pick<Catalog, 'get' | 'put'>;

  constructor(catalog: Pick<Catalog, 'get' | 'put'>) {
    this.#catalog = catalog;
  }

  /** @throws TidemarkError `not-found` before the source has a base URL */
  async settings(): Promise<SourceSettings> {
    const document = await this.#read();
    if (document === undefined) throw new TidemarkError('not-found', 'the source has no base URL yet');
    return document.body;
  }

  /**
   * Sets the base URL of the source. Changing it moves every set below it, and must be confirmed.
   * @param moveSets moves them; called only if the source had another base URL
   * @throws TidemarkError `conflict` when the source has another one and `confirmed` is false
   */
  async useBaseUrl(
    baseUrl: string,
    { confirmed, moveSets }: { readonly confirmed: boolean; moveSets(before: string): Promise<void> },
  ): Promise<void> {
    const current = await this.#read();
    if (current?.body.baseUrl === baseUrl) return;
    if (current !== undefined && !confirmed) throw otherBaseUrl(current.body.baseUrl, baseUrl);
    // The sets first: after a crash in between, the change must be confirmed again, which moves the remaining sets.
    if (current !== undefined) await moveSets(current.body.baseUrl);
    const body: SourceSettings = { served: false, ...current?.body, baseUrl };
    const put = await unlessConflict(this.#catalog.put('source', 'source', body, current?.version));
    // Another process has set one meanwhile, maybe the same.
    if (put === undefined) await this.useBaseUrl(baseUrl, { confirmed, moveSets });
  }

  /** Records that clients can read the source now. */
  async markServed(): Promise<void> {
    const current = await this.#read();
    if (current?.body.served !== false) return;
    const body = { ...current.body, served: true };
    const put = await unlessConflict(this.#catalog.put('source', 'source', body, current.version));
    if (put === undefined) await this.markServed();
  }

  #read(): Promise<CatalogDocument<SourceSettings> | undefined> {
    return this.#catalog.get<SourceSettings>('source', 'source');
  }
}

function otherBaseUrl(current: string, baseUrl: string): TidemarkError {
  return new TidemarkError(
    'conflict',
    `this source has the base URL ${current}; with ${baseUrl} every URI changes and its history begins anew`,
    { field: 'baseUrl', baseUrl: current },
  );
}
