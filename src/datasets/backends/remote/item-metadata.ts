import { IngestFailure } from '../../ingest-failure.ts';
import { type Service, serviceFailure, wordsOf } from './service.ts';

/** The name of the metadata field with the dataset that an item was made of: 32 hexadecimal digits. */
export const DATASET_FIELD = 'tidemark-dataset';

/** An item, as the metadata API of archive.org describes it. It knows of changes some time later. */
export interface ItemState {
  /** The dataset that this program made it of; undefined for the item of another client. */
  readonly dataset: string | undefined;
  readonly files: ReadonlyMap<string, ItemFile>;
}

export interface ItemFile {
  readonly size?: number;
  readonly md5?: string;
  readonly sha1?: string;
  /** As this program has stated it when it sent the file. */
  readonly sha256?: string;
}

/** Undefined when there is no such item. @throws IngestFailure `item-conflict` for a dark one, `error-backend` */
export async function readItem(service: Service, name: string, signal: AbortSignal): Promise<ItemState | undefined> {
  const answer = await service.json(`metadata/${encodeURIComponent(name)}`, signal);
  const { json } = answer;
  if (answer.status !== 200 || typeof json !== 'object' || json === null) {
    throw serviceFailure(service, `does not describe the item ${name}: it ${wordsOf(answer)}`);
  }
  const { metadata, files, is_dark: isDark } = json as Readonly<Record<string, unknown>>;
  if (isDark === true) {
    throw new IngestFailure(
      'item-conflict',
      `the item ${name} was removed from archive.org (it is dark): ask its staff`,
    );
  }
  if (metadata === undefined) return undefined;
  return { dataset: textOf(Object(metadata)[DATASET_FIELD]), files: filesOf(files) };
}

function filesOf(files: unknown): ReadonlyMap<string, ItemFile> {
  const found = new Map<string, ItemFile>();
  for (const file of Array.isArray(files) ? files : []) {
    const { name, size, md5, sha1, sha256 } = Object(file) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string') continue;
    const bytes = /^\d{1,15}$/.test(String(size)) ? Number(size) : undefined;
    found.set(name, {
      ...(bytes !== undefined && { size: bytes }),
      ...digest('md5', md5),
      ...digest('sha1', sha1),
      ...digest('sha256', sha256),
    });
  }
  return found;
}

const digest = (name: 'md5' | 'sha1' | 'sha256', value: unknown) =>
  typeof value === 'string' && /^[0-9a-f]{32,64}$/i.test(value) ? { [name]: value.toLowerCase() } : {};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
