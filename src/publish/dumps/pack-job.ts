import type { KeyRange } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { EntryStyle } from '../render/documents/entry.ts';
import type { ManifestHead } from '../render/documents/resource-dump-manifest.ts';

/**
 * Deflate level of manifests. It takes half of the time of level 6, during which no entry is packed, for a twelfth more
 * bytes.
 */
export const MANIFEST_LEVEL = 3;

/** A page to pack. Plain values, so that another thread can receive them. */
export interface PackJob {
  readonly set: SetId;
  readonly page: string;
  readonly version: Stamp;
  readonly fingerprint: string;
  readonly range: KeyRange;
  readonly head: ManifestHead;
  readonly style: EntryStyle;
  /** Bytes above which no more is added to a package. */
  readonly mostBytes: number;
  /** Whether compressible contents are deflated. */
  readonly compress: boolean;
}
