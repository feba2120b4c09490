import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { type ArtifactChecks, type DamagedArtifact, dueShares, shareOf } from './artifact-checks.ts';
import { ArtifactComparer } from './compare-artifact.ts';
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
  readonly damaged: readonly DamagedArtifact[];
}

/**
 * Reads stored artifacts at a limited rate, compares them with their digests, and records which are damaged: those are
 * not served until they are compared again and whole. Clients may post, and jobs may add and remove artifacts.
 * @throws TidemarkError `unavailable` when a store does not answer; the signal's reason. Nothing is recorded then
 */
export async function verifyArtifacts(input: VerifyArtifactsInput): Promise<ArtifactReport> {
  const { checks, isShare = false, signal, onProgress, onDamaged } = input;
  const days = Number.isFinite(input.days) ? input.days : 1;
  const began = Date.now();
  const { shares, damaged: before } = await checks.known();
  const damagedBefore = new Set(before.map(({ of }) => of));
  const due = isShare ? dueShares(shares, days, began) : new Set(Array.from({ length: days }, (_, number) => number));
  const wasCompared = (key: ObjectKey) => due.has(shareOf(key, days)) || damagedBefore.has(key);

  let total = 0;
  for await (const { key } of knownArtifacts(input)) if (wasCompared(key)) total += 1;
  const rate = new RateLimit(input.bytesPerSecond);
  const comparer = new ArtifactComparer({ artifacts: input.artifacts, rate, signal });
  const counts = new Map([...due].map((share) => [share, 0]));
  const found: DamagedArtifact[] = [];
  let done = 0;
  for await (const artifact of knownArtifacts(input)) {
    signal?.throwIfAborted();
    const { key, what, remedy } = artifact;
    if (!wasCompared(key)) continue;
    found.push(...(await comparer.faultsOf(artifact)).map((fault) => ({ ...fault, of: key, what, remedy })));
    const share = shareOf(key, days);
    if (due.has(share)) counts.set(share, counts.get(share)! + 1);
    done += 1;
    onProgress?.(done, Math.max(done, total));
  }
  const damaged = await stillKnown(found, input);
  for (const one of damaged) onDamaged?.(one);
  await checks.record({ began, days, artifacts: counts, damaged, wasCompared });
  return { artifacts: done, bytes: comparer.bytes, withoutDigest: comparer.withoutDigest, damaged };
}

/** One line, with what a person can do. */
export function describeDamaged({ key, what, problem, remedy }: DamagedArtifact): string {
  return `damaged: ${key}, ${what}: ${problem}; ${remedy}`;
}

/** Leaves out what was removed meanwhile, such as a package of a replaced dump: no document names it any more. */
async function stillKnown(
  found: readonly DamagedArtifact[],
  parts: KnownArtifactsParts,
): Promise<readonly DamagedArtifact[]> {
  if (found.length === 0) return [];
  const left = new Set(found.map(({ of }) => of));
  const known = new Set<ObjectKey>();
  for await (const { key } of knownArtifacts(parts)) if (left.has(key)) known.add(key);
  return found.filter(({ of }) => known.has(of));
}
