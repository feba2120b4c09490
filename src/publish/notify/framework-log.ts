import { hasDump, type ResourceSet } from '../../core/resource-set.ts';
import { nextStamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import { DOCUMENTS, documentUri, listedKindsOf, type SetRow } from '../documents.ts';
import type { KnownDumps } from '../dumps/known-dumps.ts';
import type { FrameworkEvent } from '../render/documents/notification.ts';

/** Those that are kept for subscribers that come late. */
const MOST_EVENTS = 1_000;

interface Parts {
  readonly sets: Pick<SetRegistry, 'list' | 'source' | 'version'>;
  readonly catalog: Pick<Catalog, 'get' | 'head' | 'put'>;
  readonly dumps: Pick<KnownDumps, 'dumpOf'>;
  readonly index: Pick<ChangeLog, 'watermark'>;
}

/** The version of each document, by its address. */
type Documents = Readonly<Record<string, { readonly capability: string; readonly version: string }>>;

/** As the catalog has it. */
interface StoredLog {
  readonly documents: Documents;
  /** The last ones, ascending by stamp. */
  readonly events: readonly FrameworkEvent[];
}

const ID = 'framework';

/**
 * Finds out which documents of the source were created, updated and deleted: Capability Lists with their sets, lists
 * with their epochs, dumps with their builds. Private sets are left out. A list is not updated by every change: a
 * client that wants to know of these subscribes to the set. Only the process that delivers uses it.
 */
export class FrameworkLog {
  readonly #parts: Parts;
  /** Undefined while there is none; null before it was read. */
  #stored: StoredLog | undefined | null = null;
  #version: number | undefined;
  #checked = '';

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Those that are stored: what was sent is known to the next process, too. */
  get events(): readonly FrameworkEvent[] {
    return this.#stored?.events ?? [];
  }

  /** Records what has happened since. @throws TidemarkError `conflict` when another process does so */
  async update(): Promise<void> {
    const { sets, catalog, index } = this.#parts;
    const stored = await this.#read();
    const { baseUrl } = await sets.source();
    const versions = `${await sets.version()} ${await catalog.head('dump')} ${baseUrl}`;
    if (stored !== undefined && versions === this.#checked) return;
    const documents = await this.#documents(baseUrl);
    const last = Math.max(stored?.events.at(-1)?.stamp ?? 0, (await index.watermark()) - 1);
    const events = stored === undefined ? [] : differences(stored.documents, documents, last);
    if (stored === undefined || events.length > 0) {
      await this.#put({ documents, events: [...(stored?.events ?? []), ...events].slice(-MOST_EVENTS) });
    }
    this.#checked = versions;
  }

  /** There are no subscribers any more: what happens until the next update is no news for later subscribers. */
  async forget(): Promise<void> {
    if ((await this.#read()) !== undefined) await this.#put(undefined);
  }

  async #read(): Promise<StoredLog | undefined> {
    if (this.#stored !== null) return this.#stored;
    const found = await this.#parts.catalog.get<StoredLog | Record<string, never>>('delivery', ID);
    this.#version = found?.version;
    this.#stored = found !== undefined && 'documents' in found.body ? (found.body as StoredLog) : undefined;
    return this.#stored;
  }

  async #put(log: StoredLog | undefined): Promise<void> {
    this.#version = await this.#parts.catalog.put('delivery', ID, log ?? {}, this.#version);
    this.#stored = log;
  }

  async #documents(baseUrl: string): Promise<Documents> {
    const shown = (await this.#parts.sets.list()).filter((set) => set.private !== true);
    const found: Record<string, Documents[string]> = {};
    for (const set of shown) {
      for (const kind of listedKindsOf(set)) {
        const { capability, isEarly }: SetRow = DOCUMENTS[kind];
        if (capability === undefined || (!set.ready && isEarly !== true)) continue;
        const version = await this.#versionOf(set, capability.name);
        found[documentUri(baseUrl, { kind, set: set.slug })] = { capability: capability.name, version };
      }
    }
    return found;
  }

  async #versionOf(set: ResourceSet, capability: string): Promise<string> {
    const version = `${set.id}.${set.epoch}`;
    if (capability === 'capabilitylist') return `${version} ${listedKindsOf(set).join()}`;
    if (capability !== 'resourcedump' || !hasDump(set)) return version;
    // One that is being removed has no version any more.
    const dump = await this.#parts.dumps.dumpOf(set).catch(() => undefined);
    return `${version} ${dump?.completed}`;
  }
}

function differences(before: Documents, after: Documents, last: number): readonly FrameworkEvent[] {
  const events: FrameworkEvent[] = [];
  let stamp = last;
  const add = (uri: string, capability: string, change: FrameworkEvent['change']) => {
    stamp = nextStamp(stamp);
    events.push({ uri, capability, change, stamp });
  };
  for (const [uri, { capability, version }] of Object.entries(after)) {
    const known = before[uri];
    if (known === undefined) add(uri, capability, 'created');
    else if (known.version !== version) add(uri, capability, 'updated');
  }
  for (const [uri, { capability }] of Object.entries(before)) {
    if (!(uri in after)) add(uri, capability, 'deleted');
  }
  return events;
}
