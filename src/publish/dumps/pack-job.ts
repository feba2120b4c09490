import type { KeyRange } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { EntryStyle } from '../render/documents/entry.ts';
import type { ManifestHead } from '../render/documents/resource-dump-manifest.ts';

/**
 * How manifests are deflated. It takes half of the time of level 6, in which no entry is packed, for a twelfth more
 * bytes.
 */
export const MANIFEST_LEVEL = 3;

/** Of threads that pack: of what packing makes, nearly nothing is kept. */
export const PACK_THREAD_LIMITS = { maxYoungGenerationSizeMb: 2 };

/**
 * How many threads pack: two where nothing else is to be done. Beside requests it is one, which takes 40 MB less (see
 * docs/performance.md).
 */
export type PackThreads = 1 | 2;

/** A page to pack; plain values, so that it can be handed to another thread. */
export interface PackJob {
  readonly set: SetId;
  readonly page: string;
  readonly version: Stamp;
  readonly fingerprint: string;
  readonly range: KeyRange;
  readonly head: ManifestHead;
  readonly style: EntryStyle;
  /** Bytes above which a package is not made larger. */
  readonly mostBytes: number;
  /** Whether what is worth it is deflated. */
  readonly compress: boolean;
}
