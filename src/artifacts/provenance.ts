import { z } from 'zod';
import { TidemarkError } from '../core/errors.ts';
import { formatKey } from './artifact-key.ts';
import type { ArtifactStore, ObjectKey, PutOptions, StoredObject } from './artifact-store.ts';
import { putJson, readJson } from './json-object.ts';
import { parseAvroKey } from './keys/avro-key.ts';
import { withoutSlash } from './plain-key.ts';

/** What an artifact is made of. */
export interface Provenance {
  /** The key of the Avro file that it was made from; of a harvest, where it came from: a URL, or the name of a file. */
  readonly generator: string;
  /** Of the software that wrote it: see config/version.ts. */
  readonly version: string;
}

export interface ProvenanceStep {
  readonly key: ObjectKey;
  /** Undefined when it is not there: then the artifact does not exist. */
  readonly provenance: Provenance | undefined;
}

const PROVENANCE = z.object({ generator: z.string(), version: z.string() });
/** A chain has a step for each activity. One that is longer goes in circles. */
const LONGEST_CHAIN = 100;

/**
 * Makes an artifact exist: call it last, when everything else of its run is durable.
 * @throws TidemarkError `conflict` when it has a provenance already
 */
export function writeProvenance(
  store: Pick<ArtifactStore, 'put'>,
  key: ObjectKey,
  { generator, version }: Provenance,
  options?: Pick<PutOptions, 'signal'>,
): Promise<StoredObject> {
  return putJson(store, { kind: 'provenance', of: key }, { generator, version }, options);
}

/** Undefined when it is not there. @throws TidemarkError `invalid` for a file that is none */
export async function readProvenance(
  store: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
): Promise<Provenance | undefined> {
  const provenance = await readJson(store, formatKey({ kind: 'provenance', of: key }), PROVENANCE);
  if (provenance === undefined) return undefined;
  const { generator, version } = provenance;
  return { generator: parseAvroKey(generator) === undefined ? generator : withoutSlash(generator), version };
}

/** An artifact, what it is made of, what that is made of, and so on, as far as those are artifacts. */
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
