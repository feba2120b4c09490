import type { ResourceKey } from '../../../core/key.ts';
import type { ComparedArtifact } from '../../../records/digests/digest-records.ts';
import type { SyncCounter } from '../../sync-counter.ts';
import type { ComparisonStep } from './compare-records.ts';

/**
 * Counts what the steps of a comparison report while they pass. At the end, `files` is the number of compared records.
 */
export async function* countSteps(
  steps: AsyncIterable<ComparisonStep>,
  { key: artifact }: ComparedArtifact,
  counter: SyncCounter,
): AsyncGenerator<ComparisonStep> {
  const duplicateKeys: ResourceKey[] = [];
  let last: ComparisonStep | undefined;
  for await (const step of steps) {
    for (const { key, problem } of step.problems) counter.problem({ path: key, problem });
    counter.unchanged(step.unchanged - (last?.unchanged ?? 0));
    counter.reach({ files: step.read, hashed: step.read, bytes: step.bytes });
    duplicateKeys.push(...step.duplicateKeys);
    last = step;
    yield step;
  }
  counter.reach({ files: last?.compared ?? 0, hashed: last?.read ?? 0, bytes: last?.bytes ?? 0 });
  counter.records({ artifact, duplicates: last?.duplicates ?? 0, duplicateKeys });
}
