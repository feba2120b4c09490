import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import { TidemarkError } from '../core/errors.ts';
import type { UploadState } from '../records/arrivals/upload-state.ts';
import type { AroundRuns, DeliveredPiece } from '../records/collections/around-runs.ts';
import type { Collection } from '../records/collections/collection.ts';
import type { CollectionRegistry } from '../records/collections/collection-registry.ts';
import type { HarvestMessages } from '../records/collections/harvest-messages.ts';
import type { HarvestRun } from '../records/collections/harvest-run.ts';
import type { HarvestRuns } from '../records/collections/harvest-runs.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import type { ResourceStates } from '../stores/resource-states.ts';
import { type CheckedPieces, checkPieces } from './check-pieces.ts';
import { dispatchPieces } from './dispatch-pieces.ts';
import { ifThere, NSDL_PLACES, NsdlFolders, type NsdlPlace } from './folders.ts';
import { saveHandles } from './handles.ts';
import { type IngestedPiece, type IngestParts, ingestPiece } from './ingest-piece.ts';
import { isFullHarvest, type PieceHeader, pieceName } from './piece.ts';
import { type Refusal, Refusals } from './refusals.ts';
import { removeOld } from './remove-old.ts';
import { type TakenTrigger, takeTriggers } from './take-triggers.ts';
import { type RunType, triggerName, triggerText } from './trigger-file.ts';
import { writePieces } from './write-pieces.ts';

interface NsdlParts {
  readonly configuration: Configuration;
  readonly catalog: Catalog;
  readonly index: Pick<ResourceStates, 'read'>;
  readonly sets: Pick<SetRegistry, 'bySlug'>;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
  readonly collections: Pick<CollectionRegistry, 'byHandle' | 'change' | 'get' | 'refresh'>;
  readonly harvestRuns: Pick<HarvestRuns, 'queue' | 'byUuid'>;
  readonly queue: Pick<JobQueue, 'addAll'>;
  readonly harvestMessages: Pick<HarvestMessages, 'sendTo'>;
}

/** What was done with the files of the folders. */
export interface NsdlLook {
  readonly triggers: readonly TakenTrigger[];
  readonly pieces: readonly CheckedPieces[];
  /** Number of pieces whose ingest was queued. */
  readonly dispatched: number;
}

export interface NsdlStatus {
  readonly folder: string;
  /** Number of files in each folder. */
  readonly files: Readonly<Record<NsdlPlace, number>>;
  /** The newest first. */
  readonly refusals: readonly Refusal[];
}

const MOST_REFUSALS = 100;

/** NSDL's way of working, for one folder: docs/nsdl.md. */
export class Nsdl implements AroundRuns {
  readonly #parts: NsdlParts;
  readonly #folders: NsdlFolders;
  readonly #refusals: Refusals;

  /** @param folder absolute */
  constructor(folder: string, parts: NsdlParts) {
    const { configuration, harvestMessages } = parts;
    const send = (url: string, uuid: string) =>
      harvestMessages.sendTo(url, { status: 4, uuid }, new AbortController().signal);
    this.#parts = parts;
    this.#folders = new NsdlFolders(folder);
    this.#refusals = new Refusals({ ...parts, messageUrl: configuration.nsdlMessage, send });
  }

  /** Takes what is in the folders. Any number of processes may do so at once. */
  async look(): Promise<NsdlLook> {
    const { collections, harvestRuns, configuration, queue } = this.#parts;
    const shared = { folders: this.#folders, refusals: this.#refusals, collections };
    await this.#folders.make();
    const triggers = await takeTriggers({ ...shared, harvestRuns, networks: configuration.harvestNetworks });
    const beforeFull = (collection: Collection, uuid: string) => this.#saveHandles(collection, uuid);
    const timeoutMs = configuration.nsdlPiecesTimeoutMs;
    const pieces = await checkPieces({ ...shared, timeoutMs, beforeFull });
    const dispatched = await dispatchPieces(this.#folders, { queue, perMinute: configuration.nsdlIngestRate });
    await this.#refusals.sendMessages();
    await removeOld(this.#folders);
    return { triggers, pieces, dispatched };
  }

  /**
   * Writes a trigger file for a collection. Returns its name.
   * @param time milliseconds since 1970, for its name
   * @throws TidemarkError `not-found`; `invalid` when the collection has no handle
   */
  async writeTrigger(id: string, runType: RunType, { time, uuid }: { readonly time: number; readonly uuid: string }) {
    const { handle, baseUrl, format, sets } = await this.#parts.collections.get(id);
    if (handle === undefined) throw withoutHandle(id);
    await this.#folders.make();
    let at = time;
    // Names have seconds: another file of this second may not be taken yet.
    while (await this.#folders.has('triggers', triggerName(id, at))) at += 1_000;
    const name = triggerName(id, at);
    const text = triggerText({ collectionNA: handle, collectionId: id, runType, baseUrl, format, sets, uuid });
    await this.#folders.write('triggers', name, [text]);
    return name;
  }

  /** @param name of a ready piece. Undefined when it was ingested before, or refused */
  ingest(name: string): Promise<IngestedPiece | undefined> {
    return ingestPiece(name, this.#ingestParts);
  }

  async beforeRun(collection: Collection, { uuid, kind, pieces }: HarvestRun): Promise<void> {
    if (collection.handle === undefined || kind !== 'full' || pieces !== undefined) return;
    await this.#folders.make();
    await this.#saveHandles(collection, uuid);
  }

  async afterRun(collection: Collection, run: HarvestRun, { read }: Pick<UploadState, 'read'>): Promise<void> {
    const { handle } = collection;
    const { uuid, kind, format = collection.format, pieces } = run;
    if (handle === undefined || read === undefined || pieces !== undefined) return;
    await this.#folders.make();
    const runType = kind === 'full' ? 'full_reharvest' : 'incremental_harvest';
    const { artifacts, configuration } = this.#parts;
    const parts = { folders: this.#folders, artifacts, items: configuration.nsdlPieceItems };
    await writePieces({ collectionNA: handle, uuid, runType, format, read }, parts);
  }

  async *piecesOf({ uuid, pieces = 0 }: HarvestRun): AsyncGenerator<DeliveredPiece, void, undefined> {
    for (let piece = 1; piece <= pieces; piece++) {
      const name = pieceName({ uuid, piece });
      const path = this.#folders.path('donePieces', name);
      const found = await ifThere(stat(path));
      if (found === undefined)
        throw new TidemarkError('invalid', `the piece ${name} was removed before it was ingested`);
      yield { name, length: found.size, read: () => createReadStream(path) };
    }
  }

  async status(): Promise<NsdlStatus> {
    const files: Partial<Record<NsdlPlace, number>> = {};
    for (const place of NSDL_PLACES) files[place] = (await this.#folders.names(place)).length;
    const refusals = (await this.#refusals.list()).slice(0, MOST_REFUSALS);
    return { folder: this.#folders.root, files: files as NsdlStatus['files'], refusals };
  }

  get #ingestParts(): IngestParts {
    return {
      folders: this.#folders,
      refusals: this.#refusals,
      collections: this.#parts.collections,
      onAllRead: (collection, header) => this.#handOver(collection, header),
    };
  }

  /**
   * The pieces of a harvest of our own have nothing to add: its records were applied before they were written. Those of
   * another program become a run of the collection.
   */
  async #handOver({ id }: Collection, header: PieceHeader): Promise<void> {
    const { harvestRuns } = this.#parts;
    const { uuid, pieces } = header;
    if ((await harvestRuns.byUuid(id, uuid)) !== undefined) return;
    const request = { kind: isFullHarvest(header) ? 'full' : 'incremental', uuid, pieces } as const;
    await harvestRuns.queue(id, request, { by: 'trigger-file', file: pieceName({ uuid, piece: 1 }) });
  }

  async #saveHandles(collection: Collection, uuid: string): Promise<void> {
    const { index, sets } = this.#parts;
    const { id: set } = await sets.bySlug(collection.id);
    await saveHandles({ folders: this.#folders, index }, collection, { uuid, set });
  }
}

interface OpenParts extends Omit<NsdlParts, 'collections' | 'harvestRuns' | 'harvestMessages'> {
  readonly records: Pick<NsdlParts, 'collections' | 'harvestRuns' | 'harvestMessages'>;
}

/** Undefined without the setting of the folder. */
export function openNsdl({ records, ...parts }: OpenParts): Nsdl | undefined {
  const { nsdlFolder } = parts.configuration;
  const { collections, harvestRuns, harvestMessages } = records;
  return nsdlFolder === undefined
    ? undefined
    : new Nsdl(nsdlFolder, { ...parts, collections, harvestRuns, harvestMessages });
}

function withoutHandle(id: string): TidemarkError {
  const message = `the collection ${id} has no handle: give it one with "tidemark collections change ${id} --handle HANDLE"`;
  return new TidemarkError('invalid', message, { collection: id });
}
