import { z } from 'zod';
import { TidemarkError } from '../core/errors.ts';
import { formatKey } from './artifact-key.ts';
import type { ArtifactStore, ObjectKey, PutOptions, StoredObject } from './artifact-store.ts';
import { putJson, readJson } from './json-object.ts';
import { parseAvroKey } from './keys/avro-key.ts';
import { withoutSlash } from './plain-key.ts';

/** The origin of an artifact. */
export interface Provenance {
  /** The key of the Avro file from which it was made; for a harvest, the source: a URL, or the name of a file. */
  readonly generator: string;
  /** The version of the software that wrote it: see config/version.ts. */
  readonly version: string;
}

interface ProvenanceStep {
  readonly key: ObjectKey;
  /** Undefined when it does not exist: the artifact then does not exist either. */
  readonly provenance: Provenance | undefined;
}

const PROVENANCE = z.object({ generator: z.string(), version: z.string() });
/** A chain has one step for each activity. A longer one is circular. */
const LONGEST_CHAIN = 100;

/**
 * Makes an artifact exist: call it last, when all other files of the run are durable.
 * @throws TidemarkError `conflict` when the artifact has a provenance already
 */
export function writeProvenance(
  store: Pick<ArtifactStore, 'put'>,
  key: ObjectKey,
  { generator, version }: Provenance,
  options?: Pick<PutOptions, 'signal'>,
): Promise<StoredObject> {
  return putJson(store, { kind: 'provenance', of: key }, { generator, version }, options);
}

/**
 * Reads a provenance; undefined when it does not exist.
 * @throws TidemarkError `invalid` for a file that is not a provenance
 */
export async function readProvenance(
  store: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
): Promise<Provenance | undefined> {
  const provenance = await readJson(store, formatKey({ kind: 'provenance', of: key }), PROVENANCE);
  if (provenance === undefined) return undefined;
  const { generator, version } = provenance;
  return { generator: parseAvroKey(generator) === undefined ? generator : withoutSlash(generator), version };
}

/** An artifact, the artifact from which it was made, and so on, to the first one that was not made from an artifact. */
export async function readProvenanceChain(
  store: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
): Promise<readonly ProvenanceStep[]> {
  const steps: ProvenanceStep[] = [];
  for (let next: ObjectKey | undefined = key; next !== undefined; ) {
    if (steps.length === LONGEST_CHAIN || steps.some((step) => step.key === next)) {
      throw new TidemarkError('invalid', `the provenance of ${key} goes in circles at ${next}`, { key });
    }
    const provenance: Provenance | undefined = await readProvenance(store, next);
    steps.push({ key: next, provenance });
    next =
      provenance !== undefined && parseAvroKey(provenance.generator) !== undefined ? provenance.generator : undefined;
  }
  return steps;
}
