import { formatCount } from '../lib/format-count.ts';
import type { UploadView } from './upload-schemas.ts';

/** What became of the ids of an upload, for people: `3 created, 1 updated, 0 deleted, 5 unchanged`. */
export function describeApplied(applied: NonNullable<UploadView['applied']>): string {
  const { created, updated, deleted, unchanged, unknown = 0, superseded, replaced = 0 } = applied;
  return [
    `${formatCount(created)} created`,
    `${formatCount(updated)} updated`,
    `${formatCount(deleted)} deleted`,
    `${formatCount(unchanged)} unchanged`,
    unknown > 0 && `${formatCount(unknown)} to delete that did not exist`,
    superseded > 0 && `${formatCount(superseded)} changed by later uploads already`,
    replaced > 0 && `${formatCount(replaced)} replaced by later ones of this upload`,
  ]
    .filter(Boolean)
    .join(', ');
}
