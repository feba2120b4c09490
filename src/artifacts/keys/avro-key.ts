import { TidemarkError } from '../../core/errors.ts';
import type { ObjectKey } from '../artifact-store.ts';
import { isSchemaId, type SchemaId } from '../avro/avro-schemas.ts';
import { withoutSlash } from '../plain-key.ts';
import { formatDate, formatTimestamp, parseTimestamp } from '../timestamp.ts';
import { type Activity, isActivity, requireProvider } from './activity.ts';

/** An Avro file of records. */
export interface AvroKey {
  readonly kind: 'avro';
  /** Such as `cdl`. */
  readonly provider: string;
  readonly activity: Activity;
  /** When the run began, in whole seconds. The key has it in UTC. */
  readonly start: Date;
  readonly schema: SchemaId;
}

// Providers have no dots and no capitals, schemas no hyphens: the last hyphen separates the two.
const FILE_NAME = /^(\d{8}_\d{6})-([a-z0-9-]+)-([^-/]+)\.avro$/;

/** Such as `cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro`. */
export function formatAvroKey({ provider, activity, start, schema }: AvroKey): ObjectKey {
  requireProvider(provider);
  return `${provider}/${activity}/${formatDate(start)}/${formatTimestamp(start)}-${provider}-${schema}.avro`;
}

/**
 * Parses the key of an Avro file, also without the folder of the date, or with a leading slash. Returns undefined for
 * any other key.
 */
export function parseAvroKey(text: string): AvroKey | undefined {
  const names = withoutSlash(text).split('/');
  const file = names.pop()!;
  const [provider, activity = '', date, ...more] = names;
  const named = parseFileName(file);
  if (named === undefined || named.provider !== provider || !isActivity(activity) || more.length > 0) return undefined;
  return date === undefined || date === formatDate(named.start) ? { kind: 'avro', ...named, activity } : undefined;
}

/** Parses the file name alone, for a file that was copied to another place. */
export function parseFileName(name: string): Omit<AvroKey, 'kind' | 'activity'> | undefined {
  const [, timestamp = '', provider = '', schema = ''] = FILE_NAME.exec(name) ?? [];
  const start = parseTimestamp(timestamp);
  return start === undefined || !isSchemaId(schema) ? undefined : { provider, start, schema };
}

/**
 * Parses the key of an Avro file that a user gives.
 * @throws TidemarkError `invalid`
 */
export function requireKey(text: string): { readonly key: ObjectKey; readonly name: AvroKey } {
  const key = withoutSlash(text);
  const name = parseAvroKey(key);
  if (name !== undefined) return { key, name };
  throw new TidemarkError(
    'invalid',
    `"${text}" is not the key of an Avro file; a valid one is cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro`,
    { key: text },
  );
}
