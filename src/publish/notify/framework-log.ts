import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { nextStamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { KnownArchives } from '../archives/known-archives.ts';
import { fingerprint } from '../cache/document-reference.ts';
import { DOCUMENTS, documentUri, type ListedKind, listedKindsOf, type SetRow } from '../documents.ts';
import type { KnownDumps } from '../dumps/known-dumps.ts';
import type { Publisher } from '../publisher.ts';
import type { FrameworkEvent } from '../render/documents/notification.ts';
import type { Capability } from '../render/documents/sitemap.ts';

/** Number of events that are kept for subscribers that are late. */
const MOST_EVENTS = 1_000;

interface Parts {
  readonly sets: Pick<SetRegistry, 'list' | 'source' | 'version'>;
  readonly catalog: Pick<Catalog, 'get' | 'head' | 'put'>;
  readonly dumps: Pick<KnownDumps, 'dumpOf' | 'changePackagesOf'>;
  readonly archives: Pick<KnownArchives, 'find'>;
  readonly publisher: Pick<Publisher, 'newestPartOf'>;
  readonly index: Pick<ChangeLog, 'watermark'>;
}

/** A document of a set, or the Source Description, which belongs to no set. */
interface KnownDocument {
  readonly capability: string;
  readonly version: string;
  readonly set?: SetId;
  readonly kind?: ListedKind;
  readonly slug?: string;
}

/** Documents by their addresses. */
type Documents = Readonly<Record<string, KnownDocument>>;

/** An event, and the set whose subscribers receive it; without a set, all subscribers do. */
export interface RecordedEvent extends FrameworkEvent {
  readonly set?: SetId | undefined;
}

/** The document of the catalog. */
interface StoredLog {
  readonly documents: Documents;
  /** The last events, ascending by stamp. */
  readonly events: readonly RecordedEvent[];
}

const ID = 'framework';
const BUILT = ['dump', 'change-dump', 'list-archive'] as const;
const GONE: KnownDocument = { capability: '', version: '' };

/**
 * Detects which documents were created, updated and deleted. The Source Description and Capability Lists follow the
 * sets; lists follow their epochs; dumps and archives follow their builds. Changes of resources do not count as updates
 * of a list: a client subscribes to the changes of the set for these. Only the process that delivers uses this class.
 */
export class FrameworkLog {
  readonly #parts: Parts;
  /** Undefined while there is none; null until it was read. */
  #stored: StoredLog | undefined | null = null;
  #version: number | undefined;
  #checked = '';

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The stored events: the next process knows them, too. */
  get events(): readonly RecordedEvent[] {
    return this.#stored?.events ?? [];
  }

  /** Records events since the last update. @throws TidemarkError `conflict` when another process does so */
  async update(): Promise<void> {
    const { sets, index } = this.#parts;
    const stored = await this.#read();
    const { baseUrl } = await sets.source();
    const versions = [await sets.version(), ...(await this.#heads()), baseUrl].join(' ');
    if (stored !== undefined && versions === this.#checked) return;
    const documents = await this.#documents(baseUrl, stored?.documents ?? {});
    const last = Math.max(stored?.events.at(-1)?.stamp ?? 0, (await index.watermark()) - 1);
    const found = stored === undefined ? [] : differences(stored.documents, documents, last);
    const events = await Promise.all(found.map((event) => this.#withIndex(event, documents[event.uri] ?? GONE)));
    if (stored === undefined || events.length > 0) {
      await this.#put({ documents, events: [...(stored?.events ?? []), ...events].slice(-MOST_EVENTS) });
    }
    this.#checked = versions;
  }

  /**
   * Forgets the documents when there are no subscribers. Events until the next update are not sent to later
   * subscribers.
   */
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
    // After a conflict, the record of the other process is read.
    this.#stored = null;
    this.#version = await this.#parts.catalog.put('delivery', ID, log ?? {}, this.#version);
    this.#stored = log;
  }

  /** Versions that rise with every dump and archive. */
  #heads(): Promise<readonly number[]> {
    return Promise.all(BUILT.map((kind) => this.#parts.catalog.head(kind)));
  }

  async #documents(baseUrl: string, known: Documents): Promise<Documents> {
    const sets = await this.#parts.sets.list();
    const found: Record<string, KnownDocument> = {};
    const shown = sets.filter((set) => set.private !== true).map(({ slug }) => slug);
    const description = documentUri(baseUrl, { kind: 'sourceDescription' });
    found[description] = { capability: 'description', version: fingerprint(shown) };
    for (const set of sets) {
      if (set.moving !== undefined) {
        // Its lists do not exist while it moves, and are updated after that.
        for (const [uri, document] of Object.entries(known)) if (document.set === set.id) found[uri] = document;
        continue;
      }
      for (const kind of listedKindsOf(set)) {
        const { capability, isEarly }: SetRow = DOCUMENTS[kind];
        if (capability === undefined || (!set.ready && isEarly !== true)) continue;
        const version = await this.#versionOf(set, capability.name);
        const uri = documentUri(baseUrl, { kind, set: set.slug });
        found[uri] = { capability: capability.name, version, set: set.id, kind, slug: set.slug };
      }
    }
    return found;
  }

  async #versionOf(set: ResourceSet, capability: Capability): Promise<string> {
    const version = `${set.id}.${set.epoch}`;
    switch (capability) {
      case 'capabilitylist':
        return `${version} ${listedKindsOf(set).join()}`;
      case 'resourcedump':
        return `${version} ${await this.#completionOf(set)}`;
      case 'changedump':
      case 'changedump-archive':
        return `${version} ${await this.#lastPackageOf(set)}`;
      case 'resourcelist-archive':
        return `${version} ${(await this.#parts.archives.find(set))?.lists.at(-1)?.name}`;
      case 'resourcedump-archive':
        return `${version} ${(await this.#parts.archives.find(set))?.dumps?.at(-1)?.name}`;
      default:
        return version;
    }
  }

  /** A dump that is being removed has no completion time. */
  async #completionOf(set: ResourceSet): Promise<number | undefined> {
    return (await unlessNotFound(this.#parts.dumps.dumpOf(set)))?.completed;
  }

  async #lastPackageOf(set: ResourceSet): Promise<string | undefined> {
    return (await unlessNotFound(this.#parts.dumps.changePackagesOf(set)))?.at(-1)?.name;
  }

  /** If the document is an index, the event names the newest part, and the index (Framework Notification 1.0.1, 2). */
  async #withIndex(event: RecordedEvent, { kind, slug }: KnownDocument): Promise<RecordedEvent> {
    if (kind === undefined || slug === undefined || event.change === 'deleted') return event;
    const part = await unlessNotFound(this.#parts.publisher.newestPartOf({ kind, set: slug }));
    return part === undefined ? event : { ...event, uri: part, index: event.uri };
  }
}

/** The events between two versions of the documents, as far as notifications for them exist (2.1, table 2). */
function differences(before: Documents, after: Documents, last: number): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let stamp = last;
  const add = (uri: string, { capability, set }: KnownDocument, change: FrameworkEvent['change']) => {
    stamp = nextStamp(stamp);
    events.push({ uri, capability, change, stamp, set });
  };
  for (const [uri, document] of Object.entries(after)) {
    const known = before[uri];
    if (known === undefined) add(uri, document, 'created');
    // A Resource Dump replaces the previous one.
    else if (known.version !== document.version)
      add(uri, document, document.capability === 'resourcedump' ? 'created' : 'updated');
  }
  // The deletion of any other document is covered by the update of its Capability List.
  for (const [uri, document] of Object.entries(before)) {
    if (!(uri in after) && document.capability === 'capabilitylist') add(uri, document, 'deleted');
  }
  return events;
}

async function unlessNotFound<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  return reading.catch((error) => {
    if (!isTidemarkError(error, 'not-found') && !isTidemarkError(error, 'not-ready')) throw error;
    return undefined;
  });
}
