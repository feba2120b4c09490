import { TidemarkError } from '../../core/errors.ts';
import type { ObjectKey } from '../artifact-store.ts';
import { requirePlainKey } from '../plain-key.ts';
import { formatTimestamp, parseTimestamp } from '../timestamp.ts';
import { isProvider, requireProvider } from './activity.ts';
import { parseAvroKey } from './avro-key.ts';

/** A file beside the Avro file of a run. */
export interface BesideKey {
  /**
   * `provenance` makes the artifact exist; `summary` reports on the run; `errata` has the records that failed; `claim`
   * reserves a second for the run, before any other file exists.
   */
  readonly kind: keyof typeof BESIDE;
  /** The key of the Avro file. */
  readonly of: ObjectKey;
}

/** A plan of an ingest of a provider. */
export interface PlanKey {
  readonly kind: 'plan';
  readonly provider: string;
  readonly start: Date;
  /** Usually the schema of the last activity's file. */
  readonly schema: string;
}

const BESIDE = {
  provenance: '-prov.json',
  summary: '-summary.json',
  errata: '-errata.ndjson',
  claim: '-claim.json',
} as const;

const PLAN_FOLDER = 'plan';
/** Our form of `<TIMESTAMP>-<SCHEMA NAME>.json` in the specification of plans: any name is valid. */
const PLAN_SCHEMA = /^[A-Za-z0-9._]{1,100}$/;
const PLAN = /^([a-z0-9-]+)\/plan\/(\d{8}_\d{6})\/\2-([A-Za-z0-9._]{1,100})\.json$/;

/** Such as `cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1-prov.json`. */
export function formatBesideKey({ kind, of }: BesideKey): ObjectKey {
  requirePlainKey(of);
  if (!of.endsWith('.avro')) throw new TidemarkError('invalid', `${of} is not the key of an Avro file`, { key: of });
  return of.slice(0, -'.avro'.length) + BESIDE[kind];
}

export function parseBesideKey(text: ObjectKey): BesideKey | undefined {
  for (const kind of Object.keys(BESIDE) as (keyof typeof BESIDE)[]) {
    const of = text.endsWith(BESIDE[kind]) ? `${text.slice(0, -BESIDE[kind].length)}.avro` : undefined;
    if (of !== undefined && parseAvroKey(of) !== undefined) return { kind, of };
  }
  return undefined;
}

/** Such as `cdl/plan/20170209_104428/20170209_104428-MappedRecord.json`. */
export function formatPlanKey({ provider, start, schema }: PlanKey): ObjectKey {
  requireProvider(provider);
  if (!PLAN_SCHEMA.test(schema))
    throw new TidemarkError('invalid', `"${schema}" is not the name of a schema`, { schema });
  const timestamp = formatTimestamp(start);
  return `${provider}/${PLAN_FOLDER}/${timestamp}/${timestamp}-${schema}.json`;
}

export function parsePlanKey(text: ObjectKey): PlanKey | undefined {
  const [, provider = '', timestamp = '', schema = ''] = PLAN.exec(text) ?? [];
  const start = parseTimestamp(timestamp);
  return start === undefined || !isProvider(provider) ? undefined : { kind: 'plan', provider, start, schema };
}
