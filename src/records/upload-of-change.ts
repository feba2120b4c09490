import { parseKey } from '../artifacts/artifact-key.ts';
import type { Change } from '../core/change.ts';
import type { Origin } from '../core/origin.ts';
import type { NamedUpload } from './arrivals/upload.ts';

/**
 * The upload that a change of a record came with: its artifact says it; of a deletion, its order does, in the set of
 * one stream. Undefined for a deletion in the set of a default stream, which may have been another one then.
 */
export function uploadOfChange(
  origin: Origin,
  { state, order }: Pick<Change, 'state'> & { readonly order?: number | undefined },
): NamedUpload | undefined {
  const key = state?.record && parseKey(state.record.artifact);
  if (key?.kind === 'stream-records') return key;
  if (state !== undefined || order === undefined || origin.kind !== 'stream') return undefined;
  const { organization, stream } = origin;
  return stream === undefined ? undefined : { organization, stream, number: order };
}
