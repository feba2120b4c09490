import type { ArtifactBody, ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { ensureReceiving, type ReceivingRegistry } from './first-stream.ts';
import { type RecordingParts, recordUpload } from './record-upload.ts';
import { randomId, storeFile } from './store-file.ts';
import {
  type HarvestFields,
  harvestFieldsOf,
  MOST_FILES,
  requireUploadName,
  requireUrl,
  type Sender,
  tooManyFiles,
  type Upload,
  type UploadedFile,
} from './upload.ts';

export interface ReceivingParts extends RecordingParts {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'delete'>;
  readonly organizations: ReceivingRegistry;
}

export interface UploadLabels extends Pick<HarvestFields, 'unmentioned' | 'acceptsDrop'> {
  readonly stream?: string | undefined;
  readonly name?: string | undefined;
  /** The URL from which a job fetches the file, in place of files. */
  readonly url?: string | undefined;
  readonly by?: Sender | undefined;
}

/**
 * Milliseconds. Files that were stored before that may be removed when no upload names them (remove-abandoned.ts), so
 * an upload that takes longer is refused.
 */
export const LONGEST_UPLOAD_MS = 24 * 3_600_000;

/**
 * An upload that is being received. Each file is stored as it arrives; when all are stored, one document publishes the
 * upload. A caller ends it by `finish` or by `abandon`.
 */
export class Receiving {
  readonly #parts: ReceivingParts;
  readonly #organization: string;
  readonly #begun = Date.now();
  readonly #keys: ObjectKey[] = [];
  readonly #files: UploadedFile[] = [];

  constructor(parts: ReceivingParts, organization: string) {
    this.#parts = parts;
    this.#organization = organization;
  }

  /**
   * Stores a file durably.
   * @throws TidemarkError `invalid` for its name or too many files, or what the artifact store throws; what the body
   *   throws
   */
  async add(name: string, body: ArtifactBody): Promise<void> {
    if (this.#keys.length >= MOST_FILES) throw tooManyFiles('files');
    const { artifacts } = this.#parts;
    const organization = this.#organization;
    const onKey = (key: ObjectKey): void => {
      this.#keys.push(key);
    };
    this.#files.push(await storeFile(name, body, { artifacts, organization, onKey }));
    failpoint('upload.stored');
  }

  /**
   * Records the upload under the next number of the stream, which the first upload of an organization makes.
   * @throws TidemarkError `invalid`; `not-found` or `conflict` when the stream accepts no uploads (any more)
   */
  async finish({ stream: named, name, url, by, ...full }: UploadLabels): Promise<Upload> {
    const organization = this.#organization;
    if (name !== undefined) requireUploadName(name);
    if (url !== undefined) requireUrl(url);
    if (url !== undefined && this.#files.length > 0) throw both();
    if (url === undefined && this.#files.length === 0) throw neither();
    if (Date.now() - this.#begun > LONGEST_UPLOAD_MS) throw tookTooLong();
    const stream = await ensureReceiving(this.#parts.organizations, organization, named);
    const sent = { ...(url !== undefined && { url }), ...(by !== undefined && { by }) };
    const labels = { ...(name && { name }), ...sent, ...harvestFieldsOf(full) };
    const upload = { organization, stream, ...labels, files: this.#files, token: randomId() };
    // From here on the document may exist, even when the store reports an error: its files must stay.
    this.#keys.length = 0;
    return recordUpload(this.#parts, upload);
  }

  /** Removes the stored files. */
  async abandon(): Promise<void> {
    for (const key of this.#keys.splice(0)) {
      // A nightly job removes files that cannot be removed now.
      await this.#parts.artifacts.delete(key).catch(() => {});
    }
  }
}

function neither(): TidemarkError {
  return new TidemarkError('invalid', 'the upload has no file: send files, or a URL', { field: 'files' });
}

function both(): TidemarkError {
  return new TidemarkError('invalid', 'the upload has files and a URL: send two uploads', { field: 'url' });
}

function tookTooLong(): TidemarkError {
  const hours = LONGEST_UPLOAD_MS / 3_600_000;
  return new TidemarkError('invalid', `the upload took more than ${hours} hours: send smaller ones`);
}
