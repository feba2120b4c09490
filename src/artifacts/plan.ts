import { z } from 'zod';
import { TidemarkError } from '../core/errors.ts';
import { type ArtifactKey, formatKey } from './artifact-key.ts';
import type { ArtifactStore, ObjectKey, PutOptions } from './artifact-store.ts';
import { putJson, readJson } from './json-object.ts';
import { ACTIVITIES, type Activity, isActivity } from './keys/activity.ts';
import { parseAvroKey } from './keys/avro-key.ts';
import { withoutSlash } from './plain-key.ts';

/** The files of a whole ingest. */
export interface Plan {
  /** Avro files by activity; usually one for each. */
  readonly files: Readonly<Partial<Record<Activity, readonly ObjectKey[]>>>;
  /** The version of the software that wrote the plan. */
  readonly version: string;
}

/** `{"harvest": "cdl/harvest/…avro", "mapping": ["…", "…"], "version": "…"}` */
const PLAN = z.object({ version: z.string() }).catchall(z.union([z.string(), z.array(z.string()).min(1)]));

/**
 * Writes a plan, and returns its key, which has the schema of the last activity's file.
 * @throws TidemarkError `conflict` when there is already one of this second; `invalid` for a plan without files
 */
export async function writePlan(
  store: Pick<ArtifactStore, 'put'>,
  { provider, start }: { readonly provider: string; readonly start: Date },
  { files, version }: Plan,
  options?: Pick<PutOptions, 'signal'>,
): Promise<ObjectKey> {
  const given = ACTIVITIES.filter((activity) => files[activity] !== undefined);
  const final = files[given.at(-1) ?? 'harvest']?.at(-1);
  if (final === undefined) throw new TidemarkError('invalid', 'a plan needs the file of an activity');
  const { schema } = parseAvroKey(final) ?? {};
  if (schema === undefined)
    throw new TidemarkError('invalid', `${final} is not the key of an Avro file`, { key: final });
  const key: ArtifactKey = { kind: 'plan', provider, start, schema };
  const entries = given.map((activity) => [activity, unwrapped(files[activity]!)]);
  await putJson(store, key, { ...Object.fromEntries(entries), version }, options);
  return formatKey(key);
}

/**
 * Reads a plan by its key, or by that of its folder, with or without a leading slash. The name of the file does not
 * matter.
 * @throws TidemarkError `not-found`; `invalid` for a file that is not a plan
 */
export async function readPlan(
  store: Pick<ArtifactStore, 'get' | 'objects'>,
  text: string,
): Promise<Plan & { readonly key: ObjectKey }> {
  const key = await findPlan(store, withoutSlash(text));
  const plan = key === undefined ? undefined : await readJson(store, key, PLAN);
  if (key === undefined || plan === undefined) {
    throw new TidemarkError('not-found', `there is no plan ${text} in the artifact store`, { key: text });
  }
  const { version, ...activities } = plan;
  const unknown = Object.keys(activities).find((name) => !isActivity(name));
  if (unknown !== undefined) {
    const known = ACTIVITIES.join(', ');
    throw new TidemarkError('invalid', `the plan ${key} names "${unknown}", which is not an activity: ${known}`, {
      key,
    });
  }
  const files = Object.entries(activities).map(([activity, file]) => [activity, wrapped(file).map(withoutSlash)]);
  return { key, files: Object.fromEntries(files), version };
}

async function findPlan(store: Pick<ArtifactStore, 'objects'>, key: string): Promise<ObjectKey | undefined> {
  if (key.endsWith('.json')) return key;
  const folder = key.endsWith('/') ? key : `${key}/`;
  const plans = (await store.objects(folder)).filter((object) => object.key.endsWith('.json'));
  if (plans.length < 2) return plans[0]?.key;
  throw new TidemarkError('invalid', `${folder} has ${plans.length} plans: name one of them`, {
    plans: plans.map((plan) => plan.key),
  });
}

function wrapped(file: string | readonly string[]): readonly string[] {
  return typeof file === 'string' ? [file] : file;
}

function unwrapped(files: readonly string[]): string | readonly string[] {
  return files.length === 1 ? files[0]! : files;
}
