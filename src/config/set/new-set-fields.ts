import { TidemarkError } from '../../core/errors.ts';
import type { Origin } from '../../core/origin.ts';
import type { SetFields } from '../../core/resource-set.ts';
import { exclusionsOfOwnFiles } from '../own-files.ts';
import { requireBucket } from './require-bucket.ts';
import { wrong } from './set-setting.ts';
import { type SetValues, SOURCE_SETTINGS, toSetFields } from './set-settings.ts';
import type { SetContext } from './source-setting.ts';

interface NewSetFields extends SetFields {
  readonly origin: Origin;
  readonly urlPrefix: string | undefined;
}

/**
 * The values of a new set, converted to properties of the set. Its exclusions exclude this program's own files.
 * @throws TidemarkError `invalid` when values are missing or incompatible, or the root cannot be read; `forbidden` for
 *   a root that is not allowed
 */
export async function newSetFields(values: SetValues, context: SetContext): Promise<NewSetFields> {
  const origin = await givenOrigin(values, context);
  const ownFiles = exclusionsOfOwnFiles(origin, context.configuration);
  const fields = toSetFields(values, origin);
  await requireBucket(origin);
  return {
    ...fields,
    origin,
    urlPrefix: values.urlPrefix ?? undefined,
    exclude: [...(values.exclude ?? []), ...ownFiles],
  };
}

/** Each kind of source is named by a separate setting. */
async function givenOrigin(values: SetValues, context: SetContext): Promise<Origin> {
  const [given, other] = SOURCE_SETTINGS.filter(({ name }) => typeof values[name] === 'string');
  if (other !== undefined)
    throw wrong(other.name, `a set has one source: leave out --${given!.name} or --${other.name}`);
  if (given !== undefined) return given.source.origin(values[given.name] as string, values, context);
  if (typeof values.urlPrefix === 'string') return { kind: 'posted' };
  throw new TidemarkError(
    'invalid',
    `a set needs ${SOURCE_SETTINGS.map(({ source }) => source.text).join(', ')}, or the URL prefix (--url-prefix URL) of another server that has its files`,
  );
}
