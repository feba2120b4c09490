import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactBody, ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { receivingStream } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import {
  MOST_FILES,
  requireFileName,
  requireUploadName,
  type Upload,
  type UploadedFile,
  uploadId,
  uploadsOf,
} from './upload.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'put' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'put' | 'delete'>;
  readonly organizations: Pick<OrganizationRegistry, 'get'>;
}

export interface UploadLabels {
  readonly stream?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * Files that were stored so long ago may be removed when no upload names them (remove-abandoned.ts), so an upload that
 * takes longer is refused.
 */
export const LONGEST_UPLOAD_MS = 24 * 3_600_000;

/**
 * An upload that is being received. Each file is stored as it comes, and no process knows of any before all are stored:
 * then one document makes the upload known. A caller ends it by `finish` or by `abandon`.
 */
export class Receiving {
  readonly #parts: Parts;
  readonly #organization: string;
  readonly #begun = Date.now();
  readonly #keys: ObjectKey[] = [];
  readonly #files: UploadedFile[] = [];

  constructor(parts: Parts, organization: string) {
    this.#parts = parts;
    this.#organization = organization;
  }

  /**
   * Stores a file, durably.
   * @throws TidemarkError `invalid` for its name or too many files, or what the artifact store throws; what the body
   *   throws
   */
  async add(name: string, body: ArtifactBody): Promise<void> {
    requireFileName(name);
    if (this.#keys.length >= MOST_FILES) throw tooManyFiles();
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    const key = { kind: 'uploaded-file', organization: this.#organization, day, id: chance() } as const;
    this.#keys.push(formatKey(key));
    const options = { hashes: ['sha-256'], sparesMemory: true } as const;
    const { key: artifact, length, hashes } = await putArtifact(this.#parts.artifacts, key, body, options);
    this.#files.push({ name, length, sha256: hashes['sha-256'], artifact });
    failpoint('upload.stored');
  }

  /**
   * Makes the upload known, under the next number of the stream.
   * @throws TidemarkError `invalid`; `not-found` or `conflict` when the stream takes no uploads (any more)
   */
  async finish({ stream: named, name }: UploadLabels): Promise<Upload> {
    const organization = this.#organization;
    if (name !== undefined) requireUploadName(name);
    if (this.#files.length === 0) throw new TidemarkError('invalid', 'the upload has no file', { field: 'files' });
    if (Date.now() - this.#begun > LONGEST_UPLOAD_MS) throw tookTooLong();
    const stream = receivingStream(await this.#parts.organizations.get(organization), named);
    const upload = { organization, stream, ...(name && { name }), files: this.#files, token: chance() };
    const numbered = await this.#putNext(upload);
    failpoint('upload.recorded');
    return numbered;
  }

  /** Removes what was stored. */
  async abandon(): Promise<void> {
    for (const key of this.#keys.splice(0)) {
      // A nightly job removes what cannot be removed now.
      await this.#parts.artifacts.delete(key).catch(() => {});
    }
  }

  /** The document of a number is put after that of the number before it was read, so there are no gaps. */
  async #putNext(upload: Omit<Upload, 'number' | 'received'>): Promise<Upload> {
    const { organization, stream, token } = upload;
    for (;;) {
      const last = await this.#last(stream);
      // Its put was answered with a conflict when a first answer was lost.
      if (last?.token === token) return last;
      const number = (last?.number ?? 0) + 1;
      const numbered: Upload = { ...upload, number, received: Math.max(Date.now(), (last?.received ?? 0) + 1) };
      // From here on the document may be there, also when the store says that it failed: files of it must stay.
      this.#keys.length = 0;
      try {
        await this.#parts.catalog.put('upload', uploadId(organization, stream, number), numbered, undefined);
        return numbered;
      } catch (error) {
        // Another upload took that number.
        if (!isTidemarkError(error, 'conflict')) throw error;
      }
    }
  }

  async #last(stream: string): Promise<Upload | undefined> {
    const prefix = uploadsOf(this.#organization, stream);
    return (await this.#parts.catalog.latest<Upload>('upload', prefix, { limit: 1 }))[0]?.body;
  }
}

function chance(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

function tooManyFiles(): TidemarkError {
  return new TidemarkError('invalid', `an upload has at most ${MOST_FILES} files: pack them, or send several uploads`, {
    field: 'files',
  });
}

function tookTooLong(): TidemarkError {
  const hours = LONGEST_UPLOAD_MS / 3_600_000;
  return new TidemarkError('invalid', `the upload took more than ${hours} hours: send smaller ones`);
}
