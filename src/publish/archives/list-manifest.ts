import * as z from 'zod';
import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { readJson } from '../../artifacts/json-object.ts';
import type { SetId } from '../../core/resource-set.ts';

const SCHEMA = z.object({
  /** A digest of how the entries of all its pages are written. */
  style: z.string(),
  /** In the order of their keys. */
  pages: z.array(
    z.object({
      /** Name of the artifact: PAGE-VERSION-RANDOM. */
      name: z.string(),
      resources: z.int(),
    }),
  ),
});

/** The pages of an archived list, stored in an artifact beside them. */
export type ListManifest = z.output<typeof SCHEMA>;
export type KeptPage = ListManifest['pages'][number];

/** Undefined when another program has deleted the manifest. */
export function readManifest(
  artifacts: Pick<ArtifactStore, 'get'>,
  set: SetId,
  name: string,
): Promise<ListManifest | undefined> {
  return readJson(artifacts, formatKey({ kind: 'kept-list', set, name }), SCHEMA);
}
