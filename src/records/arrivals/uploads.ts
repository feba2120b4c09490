import type { Readable } from 'node:stream';
import type { ArtifactStore, GetOptions, ObjectKey } from '../../artifacts/artifact-store.ts';
import { openCompared } from '../../artifacts/open-compared.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { type ErrataPage, readErrata } from '../errata/read-errata.ts';
import { receivingStream, streamOf } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { requireReceiving } from './first-stream.ts';
import { readUploadStates } from './read-states.ts';
import { Receiving, type ReceivingParts } from './receiving.ts';
import { recordUpload } from './record-upload.ts';
import { removeAbandoned } from './remove-abandoned.ts';
import { type NamedUpload, type NewUpload, type Upload, type UploadedFile, uploadId, uploadsOf } from './upload.ts';
import { filesOf, readUploadState, statusOf, type UploadState, wasRemoved } from './upload-state.ts';

interface UploadsParts extends Pick<ReceivingParts, 'onRecorded'> {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get' | 'delete' | 'list' | 'folders'>;
  readonly organizations: OrganizationRegistry;
}

export interface UploadPage {
  /** Only uploads with lower numbers. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface ListedUploads {
  /** Undefined when the organization has no stream. */
  readonly stream: string | undefined;
  readonly uploads: readonly Upload[];
  /** The states of the uploads, by number. */
  readonly states: ReadonlyMap<number, UploadState>;
}

/** The uploads of organizations. */
export class Uploads {
  readonly #parts: UploadsParts;

  constructor(parts: UploadsParts) {
    this.#parts = parts;
  }

  /**
   * Starts to receive an upload.
   * @param stream absent: the default stream, which the first upload makes, or makes as it is named
   * @throws TidemarkError `not-found`; `conflict` when the stream accepts no uploads; `invalid`
   */
  async begin(organization: string, stream?: string): Promise<Receiving> {
    await requireReceiving(this.#parts.organizations, organization, stream);
    return new Receiving(this.#parts, organization);
  }

  /**
   * Records files that are stored already as an upload: a harvest reads those of an earlier one `again`. Files that
   * several uploads name stay as long as one of them.
   * @param upload with the `set` of its stream, and a random `token`: a call that repeats the last one of the stream,
   *   with the same token, returns the same upload
   * @throws TidemarkError `not-found`; `conflict` when the stream accepts no uploads
   */
  async record(upload: NewUpload): Promise<Upload> {
    const { organization, stream, set } = upload;
    receivingStream(await this.#parts.organizations.get(organization), stream, set);
    return recordUpload(this.#parts, upload);
  }

  /**
   * The uploads of a stream, newest first.
   * @param named absent: the default stream
   * @throws TidemarkError `not-found`
   */
  async list(organization: string, named: string | undefined, page: UploadPage): Promise<ListedUploads> {
    const found = await this.#parts.organizations.get(organization);
    const stream = named === undefined ? found.defaultStream : streamOf(found, named).id;
    const uploads = stream === undefined ? [] : await this.#page(organization, stream, page);
    return { stream, uploads, states: await readUploadStates(this.#parts.catalog, uploads) };
  }

  async #page(organization: string, stream: string, page: UploadPage): Promise<readonly Upload[]> {
    const before = page.before === undefined ? undefined : uploadId(organization, stream, page.before);
    const prefix = uploadsOf(organization, stream);
    const found = await this.#parts.catalog.latest<Upload>('upload', prefix, { before, limit: page.limit });
    return found.map(({ body }) => body).filter(({ ofRemovedStream }) => !ofRemovedStream);
  }

  /** @throws TidemarkError `not-found` */
  async get(organization: string, stream: string, number: number): Promise<Upload> {
    const found = await this.#parts.catalog.get<Upload>('upload', uploadId(organization, stream, number));
    if (found !== undefined && !found.body.ofRemovedStream) return found.body;
    streamOf(await this.#parts.organizations.get(organization), stream);
    const message = `the stream ${stream} of ${organization} has no upload ${number}`;
    throw new TidemarkError('not-found', message, { organization, stream, upload: number });
  }

  /** The state of an upload; undefined before anything was done. */
  async stateOf(upload: NamedUpload): Promise<UploadState | undefined> {
    return (await readUploadState(this.#parts.catalog, upload))?.body;
  }

  /** The files of an upload. @throws TidemarkError `gone` when it was removed, or its files are kept no longer */
  async filesOf(upload: Upload): Promise<readonly UploadedFile[]> {
    const state = await this.stateOf(upload);
    if (state?.removed !== undefined) throw wasRemoved(upload, state.removed);
    if (state?.originalsRemoved !== undefined) throw keptNoLonger(upload, state.originalsRemoved);
    return filesOf(upload, state);
  }

  /**
   * The errata of an upload, as lines of JSON (Erratum); undefined when there are none.
   * @throws TidemarkError `conflict` when the upload was not read; `gone` when it was removed; as `ArtifactStore.get`
   */
  async openErrata(
    { organization, stream, number }: Upload,
    state: UploadState | undefined,
  ): Promise<Readable | undefined> {
    if (state?.removed !== undefined) throw wasRemoved({ organization, stream, number }, state.removed);
    if (state?.read === undefined) {
      const message = `the upload ${organization}/${stream}/${number} is ${statusOf(state)}: its files were not read yet`;
      throw new TidemarkError('conflict', message, { organization, stream, upload: number });
    }
    const { errata } = state.read;
    return errata === undefined ? undefined : (await this.#parts.artifacts.get(errata)).body;
  }

  /** @throws TidemarkError as `readErrata` */
  readErrata(key: ObjectKey, page: { readonly at: number; readonly limit: number }): Promise<ErrataPage> {
    return readErrata(this.#parts.artifacts, key, page);
  }

  /** The bytes of a file, or some of them. @throws TidemarkError as `openCompared` */
  async open({ artifact: key, length, sha256 }: UploadedFile, range: GetOptions['range']): Promise<Readable> {
    return (await openCompared(this.#parts.artifacts, { key, length, sha256 }, range)).body;
  }

  /** Removes files of uploads that were never completed. Returns how many. */
  removeAbandoned(signal: AbortSignal): Promise<number> {
    return removeAbandoned(this.#parts, signal);
  }
}

function keptNoLonger({ organization, stream, number }: Upload, at: number): TidemarkError {
  const day = new Date(at).toISOString().slice(0, 10);
  const message = `the files of the upload ${organization}/${stream}/${number} are kept no longer (--keep-originals): they were removed on ${day}. Its records are published as before`;
  return new TidemarkError('gone', message, { organization, stream, upload: number });
}
