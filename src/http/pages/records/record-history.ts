import { isReadable } from '../../../api/record-versions.ts';
import type { Change } from '../../../core/change.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { uploadOfChange } from '../../../records/upload-of-change.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { queryOf } from '../parts/pager.ts';
import type { Column } from '../parts/tables.ts';
import { uploadLink } from './upload-link.ts';

interface RecordHistory {
  readonly set: ResourceSet;
  readonly frame: Frame;
  /** Newest first. */
  readonly history: readonly Change[];
  /** The times of changes after which the bytes are stored; undefined when that is not known. */
  readonly versions: ReadonlySet<Stamp> | undefined;
  /** The times of changes that came with an upload that was removed. */
  readonly removed: ReadonlySet<Stamp>;
}

/** The columns that the history of a record has beside those of every resource. */
export function recordColumns({ set, frame, history, versions, removed }: RecordHistory): readonly Column<Change>[] {
  if (!history.some(({ state }) => isReadable(set, state))) return [];
  const older = new Map(history.map(({ stamp }, at) => [stamp, history[at + 1]]));
  const upload = (change: Change): Html | undefined => {
    const found = uploadOfChange(set.origin, change);
    return found && uploadLink(found, set.origin, frame);
  };
  const record = (change: Change): Html | string | undefined => {
    const { key, stamp, kind, state } = change;
    if (removed.has(stamp)) return `removed with upload ${uploadOfChange(set.origin, change)?.number}`;
    if (state === undefined || versions === undefined) return undefined;
    if (!versions.has(stamp)) return 'not stored any more';
    const at = formatStamp(stamp);
    const before = kind === 'updated' ? older.get(stamp) : undefined;
    return html`<a href="./record${queryOf({ key, at })}">as it was</a>${before && html`, <a href="./record${queryOf({ key, from: formatStamp(before.stamp), at })}">what changed</a>`}`;
  };
  return [
    ...(set.origin.kind === 'stream' ? [{ name: 'Came with', style: 'short', cell: upload }] : []),
    { name: 'Record', style: 'short', cell: record },
  ];
}

/** The upload of the highest number with a record, when it brought what was there already. */
export function lastUploadOf(
  { kind, order: changed }: Pick<Change, 'kind' | 'order'>,
  { order, set, frame }: Pick<RecordHistory, 'set' | 'frame'> & { readonly order: number | undefined },
): Html | undefined {
  const { origin } = set;
  if (origin.kind !== 'stream' || origin.stream === undefined || order === undefined || order === changed)
    return undefined;
  const upload = { organization: origin.organization, stream: origin.stream, number: order };
  return html`${uploadLink(upload, origin, frame)}, ${kind === 'deleted' ? 'again without it' : 'without a change'}`;
}
