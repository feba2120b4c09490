import { access } from 'node:fs/promises';
import { TidemarkError } from '../core/errors.ts';
import type { Catalog } from './catalog.ts';
import type { Resharded, ReshardOptions } from './elasticsearch/shards/reshard.ts';
import { JobQueue } from './job-queue.ts';
import type { StoreLocation } from './locations.ts';
import type { ResourceIndex } from './resource-index.ts';
import type { SlowStoreOptions } from './slow-store.ts';
import { type CopyOptions, copySqlite } from './sqlite/copy/copy-sqlite.ts';
import { findDamageIn } from './sqlite/find-damage.ts';
import { migrateSqlite, openSqlite } from './sqlite/open-sqlite.ts';
import { type LockMode, lockStore } from './sqlite/store-lock.ts';
import type { StoreFence } from './store-fence.ts';
import type { StoreGauge } from './store-gauge.ts';
import type { StoreObserver } from './store-observer.ts';

export type { CopyOptions, Resharded };

export interface Stores {
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly gauge: StoreGauge;
  readonly fence: StoreFence;
  readonly jobs: JobQueue;
  /** Resolves when every requested write is done. */
  close(): Promise<void>;
}

interface OpenStoresOptions extends SlowStoreOptions {
  readonly failpoint?: string | undefined;
  readonly observer?: StoreObserver | undefined;
  /** On SQLite: `exclusive` when no other process may have the store open. Elasticsearch has no such lock. */
  readonly lock?: LockMode | undefined;
}

/**
 * Opens the stores of a location, and creates them if they do not exist. Only this file knows all adapters.
 * @throws TidemarkError `unavailable` when the store cannot be opened, `incompatible` when its schema is another one
 */
export async function openStores(location: StoreLocation, options: OpenStoresOptions = {}): Promise<Stores> {
  const { jobs, ...stores } = await openAdapters(location, options);
  return { ...stores, jobs: new JobQueue(jobs) };
}

async function openAdapters(location: StoreLocation, options: OpenStoresOptions) {
  switch (location.kind) {
    case 'sqlite':
      return openSqlite(location.file, options);
    case 'elasticsearch': {
      const { openElasticsearch } = await elasticsearch();
      return openElasticsearch(location, { observer: options.observer, onSlow: options.onSlow });
    }
  }
}

/**
 * Whether there is a store, of any schema. Creates nothing.
 * @throws TidemarkError as `openStores`
 */
export async function storeExists(location: StoreLocation): Promise<boolean> {
  switch (location.kind) {
    case 'sqlite':
      return access(location.file).then(
        () => true,
        // Opening a file that is there but cannot be read says why.
        ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
      );
    case 'elasticsearch': {
      const { elasticsearchExists } = await elasticsearch();
      return elasticsearchExists(location);
    }
  }
}

/** Migrates a store to the schema of this version, and returns both versions. */
export async function migrateStores(location: StoreLocation): Promise<{ readonly from: number; readonly to: number }> {
  switch (location.kind) {
    case 'sqlite':
      return migrateSqlite(location.file);
    case 'elasticsearch': {
      const { migrateElasticsearch } = await elasticsearch();
      return migrateElasticsearch(location);
    }
  }
}

/**
 * Copies the resources of a store on Elasticsearch into an index with another number of primary shards.
 * @throws TidemarkError `invalid` for a store in a file
 */
export async function reshardStore(
  location: StoreLocation,
  shards: number,
  options: ReshardOptions = {},
): Promise<Resharded> {
  if (location.kind === 'sqlite') {
    throw new TidemarkError(
      'invalid',
      `the store ${location.file} is a file, and has no shards: they are of Elasticsearch`,
    );
  }
  const { reshardElasticsearch } = await elasticsearch();
  return reshardElasticsearch(location, shards, options);
}

/**
 * Keeps other processes from opening the file of a store, until it is released or this process ends.
 * @throws TidemarkError `unavailable`
 */
export function lockOutOthers(file: string): { release(): void } {
  return lockStore(file, 'exclusive');
}

/** Copies a snapshot of a store's file to a file that does not exist yet. */
export function copyStore(file: string, copy: string, options?: CopyOptions): Promise<void> {
  return copySqlite(file, copy, options);
}

/**
 * The damage in the structure of a store's file.
 * @throws TidemarkError `unavailable` when it cannot be read
 */
export function damageOf(file: string): readonly string[] {
  return findDamageIn(file);
}

/** Loaded only when needed: the client takes 0.2 s and 8 MB. */
function elasticsearch() {
  return import('./elasticsearch/open-elasticsearch.ts');
}
