import { unlessConflict } from '../../../core/errors.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { uploadsOf } from '../../../records/arrivals/upload.ts';
import type { UploadState } from '../../../records/arrivals/upload-state.ts';
import { dumpsOf } from '../../../records/dumps/stored-stream-dump.ts';
import {
  type FollowCursor,
  putFollowCursor,
  readFollowCursor,
  type StoredFollowCursor,
} from '../../../records/follow-cursor.ts';
import type { StreamName } from '../../../records/stream-set-names.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import type { EventPoster } from '../../../stores/event-poster.ts';
import { nextGeneration, positionOf, takePosition } from '../../sync/generation.ts';
import type { SyncSummary } from '../../sync-counter.ts';
import type { DefaultStreams } from './default-streams.ts';
import { dumpFiles, dumpFilesInForm } from './dump-files.ts';
import { type CurrentDeliveries, type FilesOrigin, numberAfter } from './files-origin.ts';
import type { NewDocument } from './stream-watcher.ts';
import { uploadedFiles } from './uploaded-files.ts';

export interface FilesOriginParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly updater: EventPoster;
  readonly streams: DefaultStreams;
}

/** The files of the uploads of one stream. */
export function uploadsOfStream(
  catalog: FilesOriginParts['catalog'],
  organization: string,
  stream: string,
): FilesOrigin {
  const deliveries = uploadedFiles(catalog, { organization, stream });
  const prefix = uploadsOf(organization, stream);
  return {
    current: async () => ({ deliveries, isNew: false }),
    deliveryIn: (document) => uploadIn(document, prefix),
  };
}

/** The files of the dumps of a stream. The dumps of the default stream have documents of their own. */
export function dumpsOfStream(catalog: FilesOriginParts['catalog'], name: StreamName): FilesOrigin {
  const deliveries = dumpFiles(catalog, name);
  const prefix = dumpsOf(name);
  return {
    current: async () => ({ deliveries, isNew: false }),
    deliveryIn: ({ kind, id }) => (kind === 'stream-dump' ? numberAfter(prefix, id) : undefined),
  };
}

/** The files of the current dumps of a stream in one form. A dump concerns all of them: a full one ends the others. */
export function dumpsInForm(catalog: FilesOriginParts['catalog'], name: StreamName, form: string): FilesOrigin {
  const deliveries = dumpFilesInForm(catalog, name, form);
  const dumps = dumpsOfStream(catalog, name);
  return {
    current: async () => ({ deliveries, isNew: false }),
    deliveryIn: (document) => (dumps.deliveryIn(document) === undefined ? undefined : 'all'),
  };
}

/**
 * The files of the uploads of the current default stream. The stream of the set is recorded by compare-and-set, and
 * takes a position in the log: from then on, the store drops what a late process posts for the previous stream.
 */
export class UploadsOfDefault implements FilesOrigin {
  readonly #set: ResourceSet;
  readonly #organization: string;
  readonly #parts: FilesOriginParts;

  constructor(set: ResourceSet, organization: string, parts: FilesOriginParts) {
    this.#set = set;
    this.#organization = organization;
    this.#parts = parts;
  }

  async current(dryRun: boolean): Promise<CurrentDeliveries | undefined> {
    const { catalog, streams, updater } = this.#parts;
    const organization = this.#organization;
    for (;;) {
      const stream = await streams.defaultOf(organization);
      if (stream === undefined) return undefined;
      const deliveries = uploadedFiles(catalog, { organization, stream });
      if (dryRun) return { deliveries, isNew: false };
      const before = await readFollowCursor(catalog, this.#set.id);
      const isDone = before?.body.stream === stream && before.body.comparing === undefined;
      if (isDone) return { deliveries, isNew: false, posting: { position: positionOf('stream', before.body) } };
      const cursor = before?.body.stream === stream ? before : await this.#move(stream, before);
      if (cursor === undefined) continue;
      const position = positionOf('stream', cursor.body);
      if (await takePosition(this.#set, position, updater)) {
        const { generation } = cursor.body;
        const end = async (summary: SyncSummary | undefined) => {
          if (summary !== undefined) await this.#put({ generation, stream }, cursor);
        };
        return { deliveries, isNew: true, posting: { position, end } };
      }
      await this.#move(stream, cursor);
    }
  }

  deliveryIn(document: NewDocument): number | 'all' | undefined {
    if (document.kind === 'organization') return document.id === this.#organization ? 'all' : undefined;
    const [organization, stream = ''] = document.id.split('/');
    // An upload of another stream only causes a comparison of the default stream's upload of the same number, which is
    // harmless.
    return organization === this.#organization ? uploadIn(document, uploadsOf(organization, stream)) : undefined;
  }

  #move(stream: string, before: StoredFollowCursor | undefined): Promise<StoredFollowCursor | undefined> {
    return this.#put({ generation: nextGeneration(before), stream, comparing: true }, before);
  }

  /** Undefined when another process has replaced it first. */
  #put(body: FollowCursor, before: StoredFollowCursor | undefined): Promise<StoredFollowCursor | undefined> {
    return unlessConflict(putFollowCursor(this.#parts.catalog, this.#set.id, { body, replaces: before?.version }));
  }
}

function uploadIn({ kind, id, body }: NewDocument, prefix: string): number | undefined {
  // The files of an upload by URL are known once they were fetched; others are kept no longer, or were removed.
  const { fetched, originalsRemoved, removed } = kind === 'upload-state' ? (body as UploadState) : {};
  const isDelivery = kind === 'upload' || [fetched, originalsRemoved, removed].some((change) => change !== undefined);
  return isDelivery ? numberAfter(prefix, id) : undefined;
}
