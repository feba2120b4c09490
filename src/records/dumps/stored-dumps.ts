import { isTidemarkError, TidemarkError, unlessConflict } from '../../core/errors.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { type StreamName, streamText } from '../stream-set-names.ts';
import { dumpId, dumpsOf, isListed, type StreamDump } from './stored-stream-dump.ts';

/** The dumps of streams in the catalog. Each call reads what other processes have written. */
export class StoredDumps {
  readonly #catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;

  constructor(catalog: Pick<Catalog, 'get' | 'put' | 'latest'>) {
    this.#catalog = catalog;
  }

  /** All dumps, also removed ones, oldest first. */
  async all(name: StreamName): Promise<readonly CatalogDocument<StreamDump>[]> {
    return (await this.#catalog.latest<StreamDump>('stream-dump', dumpsOf(name))).toReversed();
  }

  /** The dumps that were not removed, oldest first. */
  async listed(name: StreamName): Promise<readonly StreamDump[]> {
    return (await this.all(name)).map(({ body }) => body).filter(isListed);
  }

  /** The dumps of all streams of an organization, also removed ones. */
  async ofOrganization(organization: string): Promise<readonly StreamDump[]> {
    return (await this.#catalog.latest<StreamDump>('stream-dump', `${organization}/`)).map(({ body }) => body);
  }

  /** @throws TidemarkError `not-found`; `gone` when the dump was removed */
  async get(name: StreamName, number: number): Promise<StreamDump> {
    const found = await this.#catalog.get<StreamDump>('stream-dump', dumpId({ ...name, number }));
    const details = { ...name, dump: number };
    if (found === undefined) {
      throw new TidemarkError('not-found', `there is no dump ${number} of ${streamText(name)}`, details);
    }
    if (isListed(found.body)) return found.body;
    throw new TidemarkError('gone', `the dump ${number} of ${streamText(name)} was removed`, details);
  }

  /**
   * Publishes a dump.
   * @throws TidemarkError `conflict` when another dump has its number
   */
  async add(dump: StreamDump): Promise<void> {
    try {
      await this.#catalog.put('stream-dump', dumpId(dump), dump, undefined);
    } catch (error) {
      if (!isTidemarkError(error, 'conflict')) throw error;
      // The first put of this dump succeeded, but its response was lost.
      const found = await this.#catalog.get<StreamDump>('stream-dump', dumpId(dump));
      if (found?.body.token === dump.token) return;
      const message = `another process has made a dump of ${streamText(dump)} meanwhile: this one was given up`;
      throw new TidemarkError('conflict', message, { organization: dump.organization }, error);
    }
  }

  /** Removes a dump from the list; does nothing when another process has done so. */
  async remove({ id, version, body }: CatalogDocument<StreamDump>): Promise<void> {
    await unlessConflict(this.#catalog.put('stream-dump', id, { ...body, removed: Date.now() }, version));
  }
}
