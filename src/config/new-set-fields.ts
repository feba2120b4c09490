import { resolve } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import type { Origin } from '../core/origin.ts';
import type { SetFields } from '../core/resource-set.ts';
import { isS3 } from '../lib/s3/s3-location.ts';
import { requireAllowedRoot } from './allowed-roots.ts';
import type { Configuration } from './configuration.ts';
import { type GivenRoot, givenRoot } from './given-root.ts';
import { parseRecordsSource } from './records-source.ts';
import { type SetValues, toSetFields } from './set-settings.ts';

export interface Giver {
  readonly configuration: Configuration;
  /** Makes a relative path of a folder absolute. */
  readonly workingDirectory: string;
  /** The only roots that may be given; undefined for any. */
  readonly allowedRoots?: readonly string[] | undefined;
}

interface NewSetFields extends SetFields {
  readonly origin: Origin;
  readonly urlPrefix: string | undefined;
}

/**
 * The values of a new set, by the properties of the set. Its exclusions leave out this program's own files.
 * @throws TidemarkError `invalid` when values are missing or do not go together; `forbidden` for a root that is not
 *   allowed
 */
export async function newSetFields(values: SetValues, giver: Giver): Promise<NewSetFields> {
  const { origin, ownFiles } = await givenOrigin(values, giver);
  const fields = toSetFields(values, origin);
  return {
    ...fields,
    origin,
    urlPrefix: values.urlPrefix ?? undefined,
    exclude: [...(values.exclude ?? []), ...ownFiles],
  };
}

/** Each kind of source is named by a setting of its own. */
async function givenOrigin({ root, records, urlPrefix }: SetValues, giver: Giver): Promise<GivenRoot> {
  if (typeof records === 'string')
    return { origin: { kind: 'artifact', ...parseRecordsSource(records) }, ownFiles: [] };
  if (typeof root === 'string') {
    const { workingDirectory, configuration, allowedRoots } = giver;
    if (allowedRoots !== undefined)
      await requireAllowedRoot(isS3(root) ? root : resolve(workingDirectory, root), allowedRoots);
    return givenRoot(root, workingDirectory, configuration);
  }
  if (typeof urlPrefix === 'string') return { origin: { kind: 'posted' }, ownFiles: [] };
  throw new TidemarkError(
    'invalid',
    'a set needs a root (--root FOLDER or --root s3://BUCKET/PREFIX), records (--records PROVIDER/ACTIVITY), or the URL prefix (--url-prefix URL) of another server that has its files',
  );
}
