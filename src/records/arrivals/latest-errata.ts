import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { Erratum } from '../errata/erratum.ts';
import type { ListedUploads, Uploads } from './uploads.ts';

/** The errata of an upload. */
export interface ErrataOfUpload {
  readonly stream: string;
  readonly number: number;
  readonly name: string | undefined;
  /** Whether it has the files of earlier uploads. */
  readonly readsAgain?: true | undefined;
  /** The first errata; none when they cannot be read now. */
  readonly errata: readonly Erratum[];
  /** Number of all errata: errors and warnings. */
  readonly count: number;
}

const MOST_OF_UPLOAD = 5;
const MOST = 20;

/** The first errata of the newest uploads that have any: for a page that shows what is wrong, and where. */
export async function latestErrata(
  uploads: Pick<Uploads, 'readErrata'>,
  listed: Pick<ListedUploads, 'uploads' | 'states'>,
): Promise<readonly ErrataOfUpload[]> {
  let left = MOST;
  const found: Promise<ErrataOfUpload>[] = [];
  for (const { stream, number, name, readsAgain } of listed.uploads) {
    const read = listed.states.get(number)?.read;
    if (read?.errata === undefined) continue;
    if (left === 0) break;
    const count = read.totals.errors + (read.totals.warnings ?? 0);
    const limit = Math.min(MOST_OF_UPLOAD, left, Math.max(count, 1));
    left -= limit;
    const ofUpload = { stream, number, name, count, ...(readsAgain !== undefined && { readsAgain: true as const }) };
    found.push(firstOf(uploads, read.errata, limit).then((errata) => ({ ...ofUpload, errata })));
  }
  return Promise.all(found);
}

/** Ignores errors: the page has other contents, and is shown even while artifacts cannot be read. */
async function firstOf(
  uploads: Pick<Uploads, 'readErrata'>,
  key: ObjectKey,
  limit: number,
): Promise<readonly Erratum[]> {
  try {
    return (await uploads.readErrata(key, { at: 0, limit })).errata;
  } catch (error) {
    if (isTidemarkError(error)) return [];
    throw error;
  }
}
