import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { StoredBytes } from '../versions/stored-version.ts';

type Artifacts = Pick<ArtifactStore, 'readSmall'>;

/** Number of reads at a time, since a server responds slowly to each. */
export const READ_AT_ONCE = 64;
/** Bytes between two versions of a pack that are read with them: reading again takes longer. */
const MOST_BETWEEN = 64 * 1024;

/** Versions that are read at once: a whole object, or versions near each other in a pack. */
interface Span {
  readonly key: ObjectKey;
  readonly start: number;
  /** Undefined for a whole object. */
  end: number | undefined;
  readonly versions: StoredBytes[];
}

/**
 * Reads versions. Those of a pack are read together, since each read of a bucket is a request. What cannot be read is
 * absent.
 */
export async function readVersions(
  versions: readonly StoredBytes[],
  artifacts: Artifacts,
): Promise<ReadonlyMap<StoredBytes, Uint8Array>> {
  const found = new Map<StoredBytes, Uint8Array>();
  const read = async (span: Span) => ({ span, bytes: await readSpan(span, artifacts) });
  for await (const { span, bytes } of mapInOrder(spansOf(versions), READ_AT_ONCE, read)) {
    if (bytes === undefined) continue;
    for (const version of span.versions) {
      const { start, length } = version.range ?? { start: 0, length: bytes.length };
      const own = bytes.subarray(start - span.start, start - span.start + length);
      if (own.length === length) found.set(version, own);
    }
  }
  return found;
}

function spansOf(versions: readonly StoredBytes[]): readonly Span[] {
  const spans: Span[] = [];
  for (const [key, ofKey] of Map.groupBy(versions, (version) => version.key)) {
    let last: Span | undefined;
    for (const version of ofKey.toSorted((a, b) => startOf(a) - startOf(b))) {
      const start = startOf(version);
      const end = version.range && start + version.range.length;
      if (end !== undefined && last?.end !== undefined && start <= last.end + MOST_BETWEEN) {
        last.end = Math.max(last.end, end);
        last.versions.push(version);
      } else {
        last = { key, start, end, versions: [version] };
        spans.push(last);
      }
    }
  }
  return spans;
}

function startOf({ range }: StoredBytes): number {
  return range?.start ?? 0;
}

async function readSpan({ key, start, end }: Span, artifacts: Artifacts): Promise<Uint8Array | undefined> {
  try {
    return await artifacts.readSmall(key, end === undefined ? undefined : { start, length: end - start });
  } catch {
    // The writer of the package looks for each version elsewhere, or reports why it cannot be read.
    return undefined;
  }
}
