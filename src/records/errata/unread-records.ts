import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import type { ResourceKey } from '../../core/key.ts';
import { keyOfRecordId } from '../../core/record-key.ts';
import { MOST_LISTED } from './errata-writer.ts';
import { isWholeId } from './erratum.ts';
import { eachErratum } from './read-errata.ts';

type Artifacts = Pick<ArtifactStore, 'get'>;

/** What was read of a delivery: see ReadUpload. */
interface ReadDelivery {
  readonly totals: { readonly errors: number; readonly warnings?: number };
  readonly unknownFiles?: number;
  readonly errata?: ObjectKey;
}

/** Most records that a delivery may have seen and not read: their keys are in memory. */
const MOST_UNREAD = 100_000;

/**
 * Why a delivery deletes none of the records that it does not mention: it may have seen some of them, and it is not
 * known which. Undefined when the errata may say which.
 */
export function reasonToDeleteNone({
  totals: { errors, warnings = 0 },
  unknownFiles = 0,
}: ReadDelivery): string | undefined {
  if (unknownFiles > 0) return unknownFiles === 1 ? 'a file of it was not read' : `${unknownFiles} files were not read`;
  return errors > MOST_UNREAD || errors + warnings > MOST_LISTED ? 'it has too many errors' : undefined;
}

/**
 * The keys of the records that a full delivery has left, though it does not mention them, since it could not read them.
 * Undefined when it has left all that it does not mention. @throws as `ArtifactStore.get`
 */
export async function keysLeftBy(
  read: ReadDelivery,
  artifacts: Artifacts,
): Promise<ReadonlySet<ResourceKey> | undefined> {
  return reasonToDeleteNone(read) === undefined ? unreadKeys(artifacts, read.errata) : undefined;
}

/** The keys of the records that a delivery saw and could not read; undefined when it is not known which they are. */
export async function unreadKeys(
  artifacts: Artifacts,
  errata: ObjectKey | undefined,
): Promise<ReadonlySet<ResourceKey> | undefined> {
  const keys = new Set<ResourceKey>();
  if (errata === undefined) return keys;
  for await (const { id, warning } of eachErratum((await artifacts.get(errata)).body)) {
    if (warning) continue;
    if (!id || !isWholeId(id)) return undefined;
    keys.add(keyOfRecordId(id));
  }
  return keys;
}
