import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { dumpFilesOf, readingsOf, STREAM_DUMPS_FOLDER, STREAMS_FOLDER } from '../../artifacts/keys/stream-keys.ts';
import { PARTS_FOLDER, UPLOADS_FOLDER } from '../../artifacts/keys/upload-keys.ts';
import { TidemarkError, unlessNotFound } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ResumableUploads } from '../arrivals/resumable/resumable-uploads.ts';
import type { CollectionRegistry } from '../collections/collection-registry.ts';
import { defaultStays, type Organization, type Stream, streamOf } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import type { StreamName, StreamWithSet } from '../stream-set-names.ts';
import type { StreamSets } from '../stream-sets.ts';
import { closeStream } from './close-stream.ts';
import { forgetDumps, forgetUploads } from './forget-uploads.ts';
import { added, type Freed, type MeasureParts, measureDumps, measureStream } from './measure-stream.ts';

interface RemovalParts extends MeasureParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'delete'>;
  readonly organizations: OrganizationRegistry;
  readonly streamSets: Pick<StreamSets, 'remove'>;
  readonly collections: Pick<CollectionRegistry, 'list' | 'remove'>;
  readonly resumableUploads: Pick<ResumableUploads, 'removeAll'>;
  /** Cancels the jobs of a stream; without a stream, all of an organization. */
  cancelJobs(name: StreamWithSet): Promise<void>;
  /** Compares the set of an organization with its default stream: its records are then stored with that one. */
  storeAnew(organization: Organization): Promise<unknown>;
  /** Revokes the tokens that are for one organization alone. */
  revokeTokens(organization: string): Promise<void>;
}

interface NamedStream extends StreamName {
  readonly stream: string;
}

interface BeginOptions {
  /** Also of a collection, which is removed with it. */
  readonly withCollection?: boolean | undefined;
}

/**
 * Removes streams and organizations. The document of the organization says first what is being removed, and last that
 * it was: so a process that is killed leaves what the next call, or the nightly job, ends. Each step may run twice.
 */
export class StreamRemovals {
  readonly #parts: RemovalParts;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  /** What removing a stream frees. @throws TidemarkError `not-found`; `conflict` for one that cannot be removed so */
  async measureStream({ organization, stream }: NamedStream, options: BeginOptions = {}): Promise<Freed> {
    const found = requireRemovable(await this.#parts.organizations.get(organization), stream, options);
    return measureStream({ organization, stream, set: found.set }, this.#parts);
  }

  /** What removing an organization frees. @throws TidemarkError `not-found` */
  async measureOrganization(id: string): Promise<Freed & { readonly streams: number }> {
    const { streams } = await this.#parts.organizations.get(id);
    let freed = await measureDumps({ organization: id }, this.#parts);
    for (const { id: stream, set } of streams) {
      freed = added(freed, await measureStream({ organization: id, stream, set }, this.#parts));
    }
    return { streams: streams.length, ...freed };
  }

  /**
   * Begins to remove a stream: from then on it accepts nothing.
   * @throws TidemarkError `not-found`; `conflict` for the default stream, and for that of a collection
   */
  async beginStream({ organization, stream }: NamedStream, options: BeginOptions = {}): Promise<void> {
    const found = requireRemovable(await this.#parts.organizations.get(organization), stream, options);
    if (found.set !== undefined) await this.#removeCollections(({ id }) => id === found.set);
    await this.#parts.organizations.beginRemoval(organization, stream);
    failpoint('removing.begun');
  }

  /** Begins to remove an organization: from then on it accepts nothing. @throws TidemarkError `not-found` */
  async beginOrganization(id: string): Promise<void> {
    await this.#parts.organizations.beginRemoval(id);
    failpoint('removing.begun');
  }

  /** Ends all removals that were begun. Returns what was removed: `lane/main`, or `lane`. */
  async endAll(signal: AbortSignal): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const { id, removing, streams } of await this.#parts.organizations.list()) {
      for (const { id: stream, removing: since } of streams) {
        if (since === undefined || removing !== undefined) continue;
        await this.endStream({ organization: id, stream }, signal);
        removed.push(`${id}/${stream}`);
      }
      if (removing === undefined) continue;
      await this.endOrganization(id, signal);
      removed.push(id);
    }
    return removed;
  }

  /** Ends the removal of a stream that was begun. */
  async endStream({ organization, stream }: NamedStream, signal: AbortSignal): Promise<void> {
    const { catalog, organizations, streamSets, resumableUploads, cancelJobs, storeAnew } = this.#parts;
    const found = await organizations.get(organization);
    const name = { organization, stream, set: found.streams.find(({ id }) => id === stream)?.set };
    await closeStream(catalog, name);
    failpoint('removing.closed');
    await cancelJobs(name);
    await streamSets.remove(name);
    failpoint('removing.unpublished');
    // The set of the organization may have records that are stored with this stream.
    if (found.removing === undefined && found.defaultStream !== undefined) await storeAnew(found);
    await resumableUploads.removeAll(name);
    for (const folder of [readingsOf(name), dumpFilesOf(name)]) await this.#deleteBelow(folder, signal);
    failpoint('removing.deleted');
    await forgetUploads(this.#parts, name, signal);
    await forgetDumps(catalog, name);
    failpoint('removing.forgotten');
    await organizations.endStreamRemoval(organization, stream);
  }

  /** Ends the removal of an organization that was begun. Artifacts of its activities stay: other programs read them. */
  async endOrganization(organization: string, signal: AbortSignal): Promise<void> {
    const { catalog, organizations, streamSets, resumableUploads, cancelJobs, revokeTokens } = this.#parts;
    await this.#removeCollections(({ provider }) => provider === organization);
    for (const { id: stream } of (await organizations.get(organization)).streams) {
      await this.endStream({ organization, stream }, signal);
    }
    await cancelJobs({ organization });
    await streamSets.remove({ organization });
    await resumableUploads.removeAll({ organization });
    for (const folder of [UPLOADS_FOLDER, PARTS_FOLDER, STREAMS_FOLDER, STREAM_DUMPS_FOLDER]) {
      await this.#deleteBelow(`${folder}${organization}/`, signal);
    }
    await forgetDumps(catalog, { organization });
    await revokeTokens(organization);
    failpoint('removing.revoked');
    await organizations.endRemoval(organization);
  }

  async #removeCollections(
    isOf: (collection: { readonly id: string; readonly provider: string }) => boolean,
  ): Promise<void> {
    const { collections } = this.#parts;
    for (const collection of await collections.list()) {
      if (isOf(collection)) await unlessNotFound(collections.remove(collection.id));
    }
  }

  async #deleteBelow(folder: ObjectKey, signal: AbortSignal): Promise<void> {
    const { artifacts } = this.#parts;
    for await (const batch of artifacts.list(folder)) {
      for (const { key } of batch) {
        signal.throwIfAborted();
        await artifacts.delete(key);
      }
    }
  }
}

/** @throws TidemarkError `not-found`; `conflict` */
function requireRemovable(organization: Organization, id: string, { withCollection = false }: BeginOptions): Stream {
  const stream = streamOf(organization, id);
  if (organization.defaultStream === id) throw defaultStays(organization.id, id);
  if (stream.set === undefined || withCollection) return stream;
  const message = `the stream ${id} of ${organization.id} is that of the collection ${stream.set}, and is removed with it: "tidemark collections remove ${stream.set} --confirm"`;
  throw new TidemarkError('conflict', message, { organization: organization.id, stream: id, collection: stream.set });
}
