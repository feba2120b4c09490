import { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import { decodeState, type ResourceState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { RecordsUpkeep } from '../../sources/artifact/bring-up-to-date.ts';
import type { RecordDifference } from '../../sources/artifact/compare-records.ts';
import { readStanding } from '../../sources/artifact/records-standing.ts';
import type { Difference, DifferenceList } from './differences.ts';

export interface RecordsInput {
  readonly set: ResourceSet;
  readonly upkeep: Pick<RecordsUpkeep, 'catalog' | 'comparer'>;
  readonly differences: DifferenceList;
  /** Called with how many records there were so far. */
  readonly onProgress: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Holds the state against the artifact that the set tells, digest by digest. Returns how many records that has. A record whose place is in an artifact
 * that was taken away is told of, too.
 * @throws TidemarkError `invalid` when the set was never compared with one; `unavailable` when the artifact cannot be read
 */
export async function verifyRecords(input: RecordsInput): Promise<number> {
  const { set, upkeep, differences, onProgress, signal } = input;
  const { id, slug, urlPrefix, publishHashes, origin } = set;
  const standing = await readStanding(upkeep.catalog, id);
  if (standing === undefined) {
    const { source } = traitsOf(origin);
    throw new TidemarkError('invalid', `the set ${slug} was not compared with an artifact of ${source} yet`, {
      set: slug,
    });
  }
  const { key, schema, start } = standing.body;
  const artifact = { key, schema, start };
  let compared = 0;
  const comparison = { set: id, urlPrefix, publishHashes, artifact, acceptsEmpty: true };
  for await (const step of upkeep.comparer.compare(comparison, signal)) {
    for (const difference of step.differences) differences.add(describe(difference));
    compared = step.compared;
    onProgress(compared);
  }
  return compared;
}

function describe({ key, told, known }: RecordDifference): Difference {
  if (told === undefined) return { kind: 'missing', key, message: 'is published, and is not in the artifact' };
  if (known === undefined) return { kind: 'extra', key, message: 'is in the artifact, and is not published' };
  const wrong = wrongFields(decodeState(told), decodeState(known));
  if (wrong.length > 0) return { kind: 'differing', key, message: `differs in ${wrong.join(', ')}` };
  return {
    kind: 'unreadable',
    key,
    message: `is in ${decodeState(known).record?.artifact ?? 'no artifact'}, which is not there (any more)`,
  };
}

function wrongFields(told: ResourceState, known: ResourceState): readonly string[] {
  const wrong: string[] = [];
  if (told.length !== known.length) wrong.push('length');
  if (told.mime !== known.mime) wrong.push('mime');
  const hashes = Object.entries(told.hashes ?? {}).filter(([name, digest]) => digest !== known.hashes?.[name as 'md5']);
  return [...wrong, ...hashes.map(([name]) => name)];
}
