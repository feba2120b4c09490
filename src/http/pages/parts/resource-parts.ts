import type { Change, ChangeKind } from '../../../core/change.ts';
import { pathOfKey, type ResourceKey } from '../../../core/key.ts';
import { recordIdOfKey } from '../../../core/record-key.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { type Html, html } from './html.ts';
import { markedName, type NameSearch } from './name-search.ts';
import { type Column, stackingTable } from './tables.ts';
import { timeElement } from './words.ts';

/** The name of a resource, with the way to its page. @param text its name, which may have marks */
export function resourceLink(key: ResourceKey, text: Html | string = nameOf(key)): Html {
  return html`<a href="./resource?key=${encodeURIComponent(key)}">${text}</a>`;
}

/** What people call a resource: its path below the set's prefix, decoded, or its URI elsewhere. */
export function nameOf(key: ResourceKey): string {
  // Only ids of records have slashes within a name.
  return pathOfKey(key) ?? recordIdOfKey(key) ?? key;
}

/** A link to a resource itself; a URI of another scheme than http is shown, and not linked to. */
export function uriLink(uri: string, href = uri): Html | string {
  return /^https?:/.test(uri) ? html`<a href="${href}">${uri}</a>` : uri;
}

export function kindMark(kind: ChangeKind): Html {
  return html`<span class="kind ${kind}">${kind}</span>`;
}

export function lengthOf(length: number | undefined): string {
  return length === undefined ? '' : formatBytes(length);
}

/** How a table of changes shows their times. */
export type TimeColumn = Pick<Column<Change>, 'name' | 'cell'>;

export function whenColumn(now: number): TimeColumn {
  return { name: 'When', cell: ({ stamp }) => timeElement(stamp, now) };
}

interface ChangeTable {
  readonly time: TimeColumn;
  /** What was searched for, which is marked. */
  readonly search?: NameSearch;
}

/** Changes of a set, as they are given. */
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
