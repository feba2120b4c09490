import type { Change, ChangeKind } from '../../../core/change.ts';
import { pathOfKey, type ResourceKey } from '../../../core/key.ts';
import { recordIdOfKey } from '../../../core/record-key.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { type Html, html } from './html.ts';
import { markedName, type NameSearch } from './name-search.ts';
import { pathText } from './path-text.ts';
import { type Column, stackingTable } from './tables.ts';
import { timeElement } from './words.ts';

/** The name of a resource, with a link to its page. @param text its name, which may contain marks */
export function resourceLink(key: ResourceKey, text = pathText(nameOf(key))): Html {
  return html`<a href="./resource?key=${encodeURIComponent(key)}">${text}</a>`;
}

/** The displayed name of a resource: its decoded path below the set's prefix, or its URI elsewhere. */
export function nameOf(key: ResourceKey): string {
  // Only record ids contain slashes within a name.
  return plainName(pathOfKey(key) ?? recordIdOfKey(key) ?? key);
}

/** A name whose bidirectional control characters are escaped as in a URI: it is shown in the order of its letters. */
export function plainName(name: string): string {
  return name.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, encodeURIComponent);
}

/** A link to the resource itself; a URI of another scheme than http is shown without a link. */
export function uriLink(uri: string, href = uri): Html | string {
  return /^https?:/.test(uri) ? html`<a href="${href}">${uri}</a>` : uri;
}

export function kindMark(kind: ChangeKind): Html {
  return html`<span class="kind ${kind}">${kind}</span>`;
}

export function lengthOf(length: number | undefined): string {
  return length === undefined ? '' : formatBytes(length);
}

/** The column for the times of changes. */
type TimeColumn = Pick<Column<Change>, 'name' | 'cell'>;

export function whenColumn(now: number): TimeColumn {
  return { name: 'When', cell: ({ stamp }) => timeElement(stamp, now) };
}

interface ChangeTable {
  readonly time: TimeColumn;
  /** The search text, which is marked. */
  readonly search?: NameSearch;
}

/** A table of changes of a set, in the given order. */
export function changeTable(label: string, changes: readonly Change[], { time, search }: ChangeTable): Html {
  const linkOf = (key: ResourceKey) => resourceLink(key, search && markedName(nameOf(key), search));
  const columns: readonly Column<Change>[] = [
    { ...time, style: 'short' },
    { name: 'Change', style: 'short', cell: ({ kind }) => kindMark(kind) },
    { name: 'Resource', style: 'name', cell: ({ key }) => linkOf(key), isHead: true },
    { name: 'Size', style: 'number', cell: ({ state }) => lengthOf(state?.length) },
  ];
  return stackingTable(label, changes, columns);
}
