import { TidemarkError } from '../../../core/errors.ts';
import { type ArtifactOrigin, formatProviderActivity } from '../../../core/origin.ts';
import { decodeState, type ResourceState } from '../../../core/resource.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import type { CompareOptions, Mismatch } from '../../source.ts';
import type { RecordDifference } from './compare-records.ts';
import type { Comparer } from './comparer.ts';
import { countSteps } from './count-steps.ts';
import { readCursor } from './sync-cursor.ts';

interface VerifiedRecords {
  readonly set: ResourceSet;
  readonly origin: ArtifactOrigin;
  readonly catalog: Pick<Catalog, 'get'>;
  readonly comparer: Pick<Comparer, 'compare'>;
}

/**
 * Compares the state with the artifact that the set mirrors, digest by digest. Also checks that the artifacts that
 * states point to exist.
 * @throws TidemarkError `invalid` when the set was never compared with one; `unavailable` when the artifact cannot be
 *   read
 */
export async function* verifyRecords(
  { set, origin, catalog, comparer }: VerifiedRecords,
  { counter, signal }: Pick<CompareOptions, 'counter' | 'signal'>,
): AsyncGenerator<readonly Mismatch[]> {
  const { id, slug, urlPrefix, publishHashes } = set;
  const cursor = await readCursor(catalog, id);
  if (cursor === undefined) {
    const source = formatProviderActivity(origin);
    throw new TidemarkError('invalid', `the set ${slug} was not compared with an artifact of ${source} yet`, {
      set: slug,
    });
  }
  const { key, schema, start } = cursor.body;
  const artifact = { key, schema, start };
  const comparison = { set: id, urlPrefix, publishHashes, artifact, acceptsEmpty: true };
  const steps = comparer.compare(comparison, signal);
  for await (const step of countSteps(steps, artifact, counter)) yield step.differences.map(describe);
}

function describe({ key, state, known }: RecordDifference): Mismatch {
  if (state === undefined) return { kind: 'missing', key, message: 'is published, and is not in the artifact' };
  if (known === undefined) return { kind: 'extra', key, message: 'is in the artifact, and is not published' };
  const wrong = wrongFields(decodeState(state), decodeState(known));
  if (wrong.length > 0) return { kind: 'differing', key, message: `differs in ${wrong.join(', ')}` };
  const artifact = decodeState(known).record?.artifact;
  return { kind: 'unreadable', key, message: `is in ${artifact ?? 'no artifact'}, which does not exist (any more)` };
}

function wrongFields(actual: ResourceState, known: ResourceState): readonly string[] {
  const wrong: string[] = [];
  if (actual.length !== known.length) wrong.push('length');
  if (actual.mime !== known.mime) wrong.push('mime');
  const hashes = Object.entries(actual.hashes ?? {}).filter(
    ([name, digest]) => digest !== known.hashes?.[name as 'md5'],
  );
  return [...wrong, ...hashes.map(([name]) => name)];
}
