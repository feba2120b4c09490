import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import { type ArtifactChecks, type DamagedArtifact, dueShares, MOST_RECORDED, shareOf } from './artifact-checks.ts';
import { ArtifactComparer } from './compare-artifact.ts';
import type { KnownArtifact } from './known-artifact.ts';
import { type KnownArtifactsParts, knownArtifacts } from './known-artifacts.ts';
import { RateLimit } from './rate-limit.ts';

interface VerifyArtifactsInput extends KnownArtifactsParts, VerifyArtifactsOptions {
  /** One that also reads what is known to be damaged. */
  readonly artifacts: ArtifactStore;
  readonly checks: ArtifactChecks;
  /** Number of days within which all artifacts are to be compared; Infinity: never. */
  readonly days: number;
  readonly bytesPerSecond: number;
}

export interface VerifyArtifactsOptions {
  /** Compares only what is due now, and what was damaged before; else everything. */
  readonly isShare?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  onProgress?(done: number, total: number): void;
  onDamaged?(damaged: DamagedArtifact): void;
}

export interface ArtifactReport {
  /** Number of artifacts that were compared. */
  readonly artifacts: number;
  /** Bytes that were read. */
  readonly bytes: number;
  /** Number of artifacts for which no digest is known. */
  readonly withoutDigest: number;
  /** Of more than `MOST_RECORDED`, the first. */
  readonly damaged: readonly DamagedArtifact[];
  /** Number of all. */
  readonly totalDamaged: number;
}

/**
 * Reads stored artifacts at a limited rate, compares them with their digests, and records which are damaged: those are
 * not served until they are compared again and whole. Clients may post, and jobs may add and remove artifacts.
 * @throws TidemarkError `unavailable` when a store does not answer, or the artifact store is empty and should not be;
 *   the signal's reason. Nothing is recorded then
 */
export async function verifyArtifacts(input: VerifyArtifactsInput): Promise<ArtifactReport> {
  const { artifacts, checks, isShare = false, signal, onProgress, onDamaged } = input;
  const began = Date.now();
  const { shares, damaged: before } = await checks.known();
  const configured = Number.isFinite(input.days) ? input.days : 1;
  // A command may be run with another number of days than the server, whose shares are kept.
  const days = isShare || shares.length === 0 ? configured : shares.length;
  const due = isShare ? dueShares(shares, days, began) : new Set(Array.from({ length: days }, (_, number) => number));
  const damagedBefore = new Set(before.map(({ of }) => of));
  await checks.begin(began, days);
  const wasCompared = (key: ObjectKey) => due.has(shareOf(key, days)) || damagedBefore.has(key);

  let total = 0;
  for await (const _ of wanted(input, wasCompared)) total += 1;
  const rate = new RateLimit(input.bytesPerSecond);
  const comparer = new ArtifactComparer({ artifacts, rate, signal });
  const counts = new Map([...due].map((share) => [share, 0]));
  const left = new Set(damagedBefore);
  const found: DamagedArtifact[] = [];
  let more = 0;
  let done = 0;
  for await (const artifact of wanted(input, wasCompared)) {
    const { key } = artifact;
    const faults = await damageOf(artifact, comparer);
    if (found.length === 0 && faults.length > 0) await requireStored(artifacts);
    if (found.length < MOST_RECORDED) found.push(...faults);
    else more += faults.length;
    left.delete(key);
    const share = shareOf(key, days);
    if (due.has(share)) counts.set(share, counts.get(share)! + 1);
    done += 1;
    onProgress?.(done, Math.max(done, total));
  }
  const again = new ArtifactComparer({ artifacts, rate, signal });
  const damaged = await stillDamaged([...found, ...before.filter(({ of }) => left.has(of))], again, input);
  if (done > 0 || before.length > 0) await requireStored(artifacts);
  for (const one of damaged) onDamaged?.(one);
  await checks.record({ began, days, artifacts: counts, damaged, wasCompared });
  const { bytes, withoutDigest } = comparer;
  return { artifacts: done, bytes, withoutDigest, damaged, totalDamaged: damaged.length + more };
}

/** One line, with what a person can do. */
export function describeDamaged({ key, what, problem, remedy }: DamagedArtifact): string {
  return `damaged: ${key}, ${what}: ${problem}; ${remedy}`;
}

async function* wanted(
  input: VerifyArtifactsInput,
  isWanted: (key: ObjectKey) => boolean,
): AsyncGenerator<KnownArtifact> {
  for await (const artifact of knownArtifacts(input)) {
    input.signal?.throwIfAborted();
    if (isWanted(artifact.key)) yield artifact;
  }
}

async function damageOf(artifact: KnownArtifact, comparer: ArtifactComparer): Promise<readonly DamagedArtifact[]> {
  const { key, what, remedy } = artifact;
  return (await comparer.faultsOf(artifact)).map((fault) => ({ ...fault, of: key, what, remedy }));
}

/**
 * Compares again what was found, hours ago perhaps: it may have been restored, or removed. What nothing names any more
 * stays damaged while it is stored: a package of a replaced dump can still be fetched for a day.
 */
async function stillDamaged(
  found: readonly DamagedArtifact[],
  comparer: ArtifactComparer,
  input: VerifyArtifactsInput,
): Promise<readonly DamagedArtifact[]> {
  if (found.length === 0) return [];
  const keys = new Set(found.map(({ of }) => of));
  const left = new Set(keys);
  const damaged: DamagedArtifact[] = [];
  // Several files may be ranges of one artifact.
  for await (const artifact of wanted(input, (key) => keys.has(key))) {
    left.delete(artifact.key);
    damaged.push(...(await damageOf(artifact, comparer)));
  }
  for (const one of found) {
    input.signal?.throwIfAborted();
    if (left.has(one.of) && (await input.artifacts.head(one.key)) !== undefined) damaged.push(one);
  }
  return damaged;
}

/** A folder that is not mounted is an empty one: then nothing is known of what is stored. */
async function requireStored(artifacts: ArtifactStore): Promise<void> {
  if ((await artifacts.folders('')).length > 0) return;
  const message = `${artifacts.name} is empty, although artifacts should be there: is it mounted? Nothing was recorded`;
  throw new TidemarkError('unavailable', message, { artifacts: artifacts.name });
}
