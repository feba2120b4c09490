import { hash } from 'node:crypto';
import type { ObjectKey, ObjectRange } from '../../artifacts/artifact-store.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { CatalogFollower } from '../../stores/catalog-follower.ts';
import { updateDocument } from '../../stores/update-document.ts';
import type { ArtifactFault } from './compare-artifact.ts';

/** An artifact at fault. */
export interface DamagedArtifact extends ArtifactFault {
  /** The artifact that was compared: `key`, or the segment that lists it. */
  readonly of: ObjectKey;
  /** What it is, and what a person can do, for people. */
  readonly what: string;
  readonly remedy: string;
  /** When it was recorded, in milliseconds since 1970. */
  readonly recorded?: number | undefined;
}

/** When the artifacts of a share were last compared. Which artifacts belong to it follows from their keys. */
interface Share {
  /** Milliseconds since 1970; before the first comparison, the time of the first night. */
  readonly at: number;
  /** Number of artifacts that were compared; 0 before. */
  readonly artifacts: number;
}

/** The document of the catalog about comparisons of artifacts. */
interface StoredChecks {
  /** One for each day within which all are compared. */
  readonly shares: readonly Share[];
  readonly damaged: readonly DamagedArtifact[];
}

/** What a comparison found. */
interface CheckedShares {
  readonly began: number;
  /** The numbers of the shares that were compared, of `days`, and their numbers of artifacts. */
  readonly artifacts: ReadonlyMap<number, number>;
  readonly days: number;
  readonly damaged: readonly DamagedArtifact[];
  /** Whether an artifact was compared: what was known of it before is replaced. */
  wasCompared(key: ObjectKey): boolean;
}

const DOCUMENT = { kind: 'artifact-check', id: 'all' } as const;
const DAY_MS = 86_400_000;
/** Of more damaged artifacts, the first are recorded and named. */
export const MOST_RECORDED = 10_000;
const NOTHING: StoredChecks = { shares: [], damaged: [] };

/** What is known of stored artifacts: when they were compared with their digests, and which are damaged. */
export class ArtifactChecks {
  readonly #catalog: Pick<Catalog, 'get' | 'put'>;
  readonly #follower: CatalogFollower<StoredChecks>;
  #known: StoredChecks = NOTHING;
  #damagedParts: ReadonlyMap<ObjectKey, readonly DamagedArtifact[]> = new Map();

  constructor(catalog: Pick<Catalog, 'get' | 'put' | 'head' | 'list'>) {
    this.#catalog = catalog;
    this.#follower = new CatalogFollower<StoredChecks>(catalog, {
      kind: DOCUMENT.kind,
      onPut: ({ body }) => {
        this.#known = body;
        this.#damagedParts = Map.groupBy(
          body.damaged.filter(({ isDiffering }) => isDiffering),
          ({ key }) => key,
        );
      },
    });
  }

  /** As of at most a second ago. */
  async known(): Promise<StoredChecks> {
    await this.#follower.loadUnlessFresh();
    return this.#known;
  }

  /** The damaged parts of an object. What is missing or unreadable is not included: reading it fails anyway. */
  async damagedParts(key: ObjectKey): Promise<readonly (ObjectRange | undefined)[]> {
    await this.#follower.loadUnlessFresh();
    return (this.#damagedParts.get(key) ?? []).map(({ range }) => range);
  }

  /** Records that the first comparison begins, unless one has: what it does not reach has waited since then. */
  async begin(began: number, days: number): Promise<void> {
    await updateDocument<StoredChecks>(this.#catalog, DOCUMENT, (before = NOTHING) => {
      return before.shares.length > 0 ? before : { ...before, shares: sharesOf([], days, began) };
    });
  }

  /** Keeps what others have found since the comparison began: it may have compared that before. */
  async record(checked: CheckedShares): Promise<void> {
    const found = new Set(checked.damaged.map(({ of }) => of));
    await updateDocument<StoredChecks>(this.#catalog, DOCUMENT, (before = NOTHING) => {
      const others = before.damaged.filter(({ of, recorded = 0 }) => {
        return !found.has(of) && (recorded > checked.began || !checked.wasCompared(of));
      });
      const recorded = Date.now();
      const damaged = [...checked.damaged.map((one) => ({ ...one, recorded })), ...others].slice(0, MOST_RECORDED);
      return { shares: sharesAfter(before.shares, checked), damaged };
    });
    await this.#follower.load();
  }
}

/** The number of the share to which an artifact belongs. */
export function shareOf(key: ObjectKey, days: number): number {
  return Number.parseInt(hash('sha256', key, 'hex').slice(0, 8), 16) % days;
}

/**
 * The shares to compare now: those that would otherwise be older than `days` the next day, and at least one, the
 * oldest. So each night has one, and all that were missed are made up for.
 * @param now milliseconds since 1970
 */
export function dueShares(stored: readonly Share[], days: number, now: number): ReadonlySet<number> {
  const shares = sharesOf(stored, days, now).map(({ at }, number) => ({ at, number }));
  const oldestFirst = shares.toSorted((a, b) => a.at - b.at);
  const due = oldestFirst.filter(({ at }, place) => place === 0 || now - at > (days - 0.5) * DAY_MS);
  return new Set(due.map(({ number }) => number));
}

/** The shares after some of them were compared. */
export function sharesAfter(
  stored: readonly Share[],
  { began, artifacts, days }: Pick<CheckedShares, 'began' | 'artifacts' | 'days'>,
): readonly Share[] {
  return sharesOf(stored, days, began).map((share, number) => {
    const count = artifacts.get(number);
    return count === undefined ? share : { at: began, artifacts: count };
  });
}

/** Before the first comparison, and after a change of the number of days, no share is newer than any before. */
function sharesOf(stored: readonly Share[], days: number, now: number): readonly Share[] {
  if (stored.length === days) return stored;
  const at = stored.reduce((oldest, share) => Math.min(oldest, share.at), now);
  return Array.from({ length: days }, () => ({ at: at - 1, artifacts: 0 }));
}
