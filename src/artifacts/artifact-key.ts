import { TidemarkError } from '../core/errors.ts';
import type { ArtifactKey } from './artifact-store.ts';
import { isSchemaId, type SchemaId } from './avro/schemas.ts';
import { requirePlainKey, withoutSlash } from './plain-key.ts';
import { formatDate, formatTimestamp, parseTimestamp } from './timestamp.ts';

/** What makes artifacts, in the order in which one is made of another. The folder `plan` beside them is none. */
export const ACTIVITIES = [
  'harvest',
  'upload',
  'dataset',
  'normalization',
  'mapping',
  'enrichment',
  'indexing',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** What the key of an Avro file tells. */
export interface ArtifactName {
  /** Such as `cdl`. */
  readonly provider: string;
  readonly activity: Activity;
  /** When the run began: whole seconds, and UTC in the key. */
  readonly start: Date;
  readonly schema: SchemaId;
}

export const PLAN_FOLDER = 'plan';
const PROVIDER = /^[a-z0-9-]{1,63}$/;
// Providers have no dots and no capitals, schemas no hyphens: so the last hyphen stands between them.
const FILE_NAME = /^(\d{8}_\d{6})-([a-z0-9-]+)-([^-/]+)\.avro$/;
/** Ours, by what a plan's source calls `<TIMESTAMP>-<SCHEMA NAME>.json`: any name is fine, see readings a3. */
const PLAN_SCHEMA = /^[A-Za-z0-9._]{1,100}$/;

/** `cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro`. @throws TidemarkError `invalid` for a provider that is none */
export function formatKey({ provider, activity, start, schema }: ArtifactName): ArtifactKey {
  requireProvider(provider);
  return `${provider}/${activity}/${formatDate(start)}/${formatTimestamp(start)}-${provider}-${schema}.avro`;
}

/** Reads the key of an Avro file, also one without the folder of the date, or with a slash before it. Undefined for any other key. */
export function parseKey(text: string): ArtifactName | undefined {
  const names = withoutSlash(text).split('/');
  const file = names.pop()!;
  const [provider, activity = '', date, ...more] = names;
  const told = parseFileName(file);
  if (told === undefined || told.provider !== provider || !isActivity(activity) || more.length > 0) return undefined;
  return date === undefined || date === formatDate(told.start) ? { ...told, activity } : undefined;
}

/** What the name alone tells of a file that was copied somewhere else. */
export function parseFileName(name: string): Omit<ArtifactName, 'activity'> | undefined {
  const [, timestamp = '', provider = '', schema = ''] = FILE_NAME.exec(name) ?? [];
  const start = parseTimestamp(timestamp);
  return start === undefined || !isSchemaId(schema) ? undefined : { provider, start, schema };
}

/**
 * Reads what a person gives as the key of an Avro file.
 * @throws TidemarkError `invalid`
 */
export function requireKey(text: string): { readonly key: ArtifactKey; readonly name: ArtifactName } {
  const key = withoutSlash(text);
  const name = parseKey(key);
  if (name !== undefined) return { key, name };
  throw new TidemarkError(
    'invalid',
    `"${text}" is no key of an Avro file: it looks like cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro`,
    { key: text },
  );
}

/** Beside the Avro file of this key; that it is there makes the file exist. */
export function provenanceKey(key: ArtifactKey): ArtifactKey {
  return besides(key, '-prov.json');
}

/** What its run did. */
export function summaryKey(key: ArtifactKey): ArtifactKey {
  return besides(key, '-summary.json');
}

/** The records that failed. */
export function errataKey(key: ArtifactKey): ArtifactKey {
  return besides(key, '-errata.ndjson');
}

/** By which a run takes a second of its own, before there is anything else. */
export function claimKey(key: ArtifactKey): ArtifactKey {
  return besides(key, '-claim.json');
}

/** `cdl/plan/20170209_104428/20170209_104428-MappedRecord.json`. @throws TidemarkError `invalid` for a provider or a schema that is none */
export function planKey(plan: {
  readonly provider: string;
  readonly start: Date;
  readonly schema: string;
}): ArtifactKey {
  const { provider, schema } = plan;
  requireProvider(provider);
  if (!PLAN_SCHEMA.test(schema)) throw new TidemarkError('invalid', `"${schema}" is no name of a schema`, { schema });
  const timestamp = formatTimestamp(plan.start);
  return `${provider}/${PLAN_FOLDER}/${timestamp}/${timestamp}-${schema}.json`;
}

export function isActivity(text: string): text is Activity {
  return ACTIVITIES.some((activity) => activity === text);
}

/** @throws TidemarkError `invalid` */
export function requireActivity(text: string): Activity {
  if (isActivity(text)) return text;
  throw new TidemarkError('invalid', `"${text}" is no activity: use ${ACTIVITIES.join(', ')}`, { activity: text });
}

export function isProvider(text: string): boolean {
  return PROVIDER.test(text);
}

/** @throws TidemarkError `invalid` */
export function requireProvider(text: string): void {
  if (isProvider(text)) return;
  throw new TidemarkError(
    'invalid',
    `${JSON.stringify(text)} is no provider: use up to 63 small letters, digits and "-", such as cdl`,
    { provider: text },
  );
}

function besides(key: ArtifactKey, ending: string): ArtifactKey {
  requirePlainKey(key);
  if (!key.endsWith('.avro')) throw new TidemarkError('invalid', `${key} is no key of an Avro file`, { key });
  return key.slice(0, -'.avro'.length) + ending;
}
