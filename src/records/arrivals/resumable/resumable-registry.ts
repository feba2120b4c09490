import { TidemarkError } from '../../../core/errors.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import { updateDocument } from '../../../stores/update-document.ts';
import { MOST_FINISHED_TEXT, MOST_UNFINISHED, noSuchResumable, type ResumableUpload } from './resumable-upload.ts';

type RegistryCatalog = Pick<Catalog, 'get' | 'put' | 'list'>;

/**
 * The resumable uploads of one organization. Documents of the catalog cannot be removed, so one document contains them
 * all: it is replaced three times for each upload, so it must stay small.
 */
interface Unfinished {
  readonly uploads: readonly ResumableUpload[];
}

/** The resumable uploads of organizations. Each call reads what other processes have written. */
export class ResumableRegistry {
  readonly #catalog: RegistryCatalog;

  constructor(catalog: RegistryCatalog) {
    this.#catalog = catalog;
  }

  /** @throws TidemarkError `conflict` when the organization has too many */
  async add(upload: ResumableUpload): Promise<void> {
    await this.#replace(upload.organization, (uploads) => {
      if (upload.set === undefined && uploads.filter(isUnfinished).length >= MOST_UNFINISHED) throw tooMany(upload);
      return [...uploads, upload];
    });
  }

  /** @throws TidemarkError `not-found` */
  async get(organization: string, id: string): Promise<ResumableUpload> {
    const found = (await this.of(organization)).find((upload) => upload.id === id);
    if (found === undefined) throw noSuchResumable(id);
    return found;
  }

  async of(organization: string): Promise<readonly ResumableUpload[]> {
    return (await this.#catalog.get<Unfinished>('resumable-uploads', organization))?.body.uploads ?? [];
  }

  /** The resumable uploads of all organizations. */
  async all(): Promise<readonly ResumableUpload[]> {
    const documents = await this.#catalog.list<Unfinished>('resumable-uploads');
    return documents.flatMap(({ body }) => body.uploads);
  }

  /**
   * Records a claim, which replaces the one that was read, the length of an upload that had none, or its end.
   * @throws TidemarkError `not-found`
   */
  async change(
    { organization, id, claim }: ResumableUpload,
    fields: Partial<Pick<ResumableUpload, 'claim' | 'done' | 'length' | 'files'>>,
  ): Promise<ResumableUpload> {
    let changed: ResumableUpload | undefined;
    await this.#replace(organization, (uploads) => {
      changed = uploads.find((upload) => upload.id === id);
      if (changed === undefined) throw noSuchResumable(id);
      // A claim that another process has recorded meanwhile counts.
      if (changed.done !== undefined || (fields.done === undefined && changed.claim !== claim)) return uploads;
      if (fields.length !== undefined && changed.length !== undefined) return uploads;
      changed = { ...changed, ...fields };
      return uploads.map((upload) => (upload.id === id ? changed! : upload));
    });
    return changed!;
  }

  async remove({ organization, id }: Pick<ResumableUpload, 'organization' | 'id'>): Promise<void> {
    await this.#replace(organization, (uploads) => uploads.filter((upload) => upload.id !== id));
  }

  async #replace(
    organization: string,
    change: (uploads: readonly ResumableUpload[]) => readonly ResumableUpload[],
  ): Promise<void> {
    const name = { kind: 'resumable-uploads', id: organization } as const;
    await updateDocument<Unfinished>(this.#catalog, name, (before = { uploads: [] }) => {
      const uploads = change(before.uploads);
      return uploads === before.uploads ? before : { uploads: withoutOldFinished(uploads) };
    });
  }
}

/** Whether a client may continue it: a harvest fills its own. */
export function isUnfinished({ done, set }: ResumableUpload): boolean {
  return done === undefined && set === undefined;
}

/** Keeps the newest finished uploads, as many as `MOST_FINISHED_TEXT` permits, and all unfinished ones. */
function withoutOldFinished(uploads: readonly ResumableUpload[]): readonly ResumableUpload[] {
  const finished = uploads.filter(({ done }) => done !== undefined).toSorted((a, b) => b.done!.at - a.done!.at);
  const old = new Set<ResumableUpload>();
  let length = 0;
  for (const upload of finished) {
    length += JSON.stringify(upload).length;
    if (length > MOST_FINISHED_TEXT) old.add(upload);
  }
  return old.size === 0 ? uploads : uploads.filter((upload) => !old.has(upload));
}

function tooMany({ organization }: ResumableUpload): TidemarkError {
  const message = `the organization ${organization} has ${MOST_UNFINISHED} unfinished resumable uploads: finish or delete some (GET /api/organizations/${organization}/resumable-uploads lists them), or wait until they are removed, a day after their last byte`;
  return new TidemarkError('conflict', message, { organization });
}
