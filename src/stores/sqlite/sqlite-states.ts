import type { KeyRange, ResourceKey } from '../../core/key.ts';
import { parseKeySearch } from '../../core/key-search.ts';
import type { Resource, Tombstone } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { findBeginnings } from '../find-beginnings.ts';
import type { EncodedResource, FoundResources, Limits, ResourceStates, Search, Survey } from '../resource-states.ts';
import { PieceCutter } from '../survey.ts';
import { ask, snapshot } from './connection.ts';
import { toResource } from './queries.ts';
import type { ReadConnection } from './read-connection.ts';

/** Reading this number of rows at once is a third faster than one by one. */
const SURVEY_BATCH = 2000;

export class SqliteStates implements ResourceStates {
  readonly #connection: ReadConnection;

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  read(set: SetId, range: KeyRange & { tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { tombstones: true }): AsyncIterable<readonly (Resource | Tombstone)[]>;
  async *read(
    set: SetId,
    range: KeyRange & { tombstones?: boolean },
  ): AsyncIterable<readonly (Resource | Tombstone)[]> {
    const { queries } = this.#connection;
    this.#connection.requireSet(set);
    const query = range.tombstones ? queries.states : queries.resources;
    for await (const rows of this.#connection.byKey(query, { set, range })) yield rows.map(toResource);
  }

  async *states(set: SetId): AsyncIterable<readonly EncodedResource[]> {
    this.#connection.requireSet(set);
    yield* this.#connection.reader.states(set);
  }

  lookup(set: SetId, keys: readonly ResourceKey[]): Promise<readonly (Resource | Tombstone | undefined)[]> {
    const { reads, queries } = this.#connection;
    return reads.run((once) => {
      once(`set ${set}`, () => this.#connection.requireSet(set));
      return keys.map((key) => {
        const row = queries.state.get(set, key);
        return row && toResource(row);
      });
    });
  }

  lastChanges(set: SetId, keys: readonly ResourceKey[]): Promise<readonly Stamp[]> {
    const { reads, queries } = this.#connection;
    return reads.run((once) => {
      once(`set ${set}`, () => this.#connection.requireSet(set));
      return keys.map((key) => queries.lastChange.get(set, key)?.[0] ?? 0);
    });
  }

  async find(set: SetId, { part, after, limit }: Search): Promise<FoundResources> {
    this.#connection.requireSet(set);
    const search = parseKeySearch(part);
    if (search.where === 'anywhere') return this.#connection.reader.find({ set, texts: search.texts, after, limit });
    return findBeginnings(search.beginnings, { after, limit }, (range) => this.read(set, range));
  }

  async survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    const { database, file, queries } = this.#connection;
    this.#connection.requireSet(set);
    const cutter = new PieceCutter(range.from, limits);
    // In one transaction, so that all reads see the same state.
    return ask(file, () =>
      snapshot(database, () => {
        const [last] = queries.lastStamp.get()!;
        for (const rows of this.#connection.batches(queries.survey, { set, range, rows: SURVEY_BATCH })) {
          for (const [key, stamp, weight, live] of rows) cutter.add({ key, stamp, weight, live: live === 1 });
        }
        return { through: last + 1, pieces: cutter.pieces() };
      }),
    );
  }
}
