import { TidemarkError } from '../core/errors.ts';
import { formatRecordsSource, type ResourceSet } from '../core/resource-set.ts';

/**
 * Whether somebody may post to a set at all. A set of records tells what its newest artifact does: what else was posted to it would be gone with
 * the next comparison, or be told for a document that is not there.
 * @throws TidemarkError `conflict`
 */
export function refusePosting({ slug, records }: ResourceSet): void {
  if (records === undefined) return;
  const { provider, activity } = records;
  throw new TidemarkError(
    'conflict',
    `nobody posts to "${slug}": its resources are the records of the newest artifact of ${formatRecordsSource(records)}; to change them, run "tidemark activity run ${activity} ${provider}"`,
    { set: slug, records: formatRecordsSource(records) },
  );
}
