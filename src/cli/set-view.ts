import { setView, troubleOf } from '../api/resource-set-view.ts';
import type { App } from '../app.ts';
import { shownSettings } from '../config/set/set-settings.ts';
import type { HiddenFiles, ResourceSet } from '../core/resource-set.ts';
import { type SummarizedSet, summarize } from '../sets/summarized-sets.ts';
import { namesOfHidden } from '../sources/hidden-files.ts';
import type { SyncCursor } from '../sources/records/artifact/sync-cursor.ts';

type Sets = Pick<App, 'index' | 'sets' | 'sources'>;

/** A set as printed by commands: the view of the API, and fields that only the operator may see. */
export async function viewSet({ index, sets, sources }: Sets, set: ResourceSet): Promise<OperatorSetView> {
  const { baseUrl } = await sets.source();
  const cursor = await sources.records.cursorOf(set);
  return viewFor({ set, summary: await index.summary(set.id) }, { baseUrl, cursor });
}

export async function viewSets({ index, sets }: Pick<Sets, 'index' | 'sets'>): Promise<readonly OperatorSetView[]> {
  const all = await sets.list();
  if (all.length === 0) return [];
  const { baseUrl } = await sets.source();
  return (await summarize(index, all)).map((summarized) => viewFor(summarized, { baseUrl }));
}

export type OperatorSetView = ReturnType<typeof viewFor>;

interface Known {
  readonly baseUrl: string;
  /** Only when a single set of records is shown. */
  readonly cursor?: SyncCursor | undefined;
}

function viewFor({ set, summary }: SummarizedSet, { baseUrl, cursor }: Known) {
  return {
    ...setView(set, summary, baseUrl),
    ...shownSettings(set),
    urlPrefix: set.urlPrefix,
    trouble: troubleOf(set),
    hiddenFiles: set.hidden,
    artifact: cursor?.key,
    compared: cursor?.compared,
  };
}

/** The properties of a set, one on each line. */
export function describeSet({ documents, ...view }: OperatorSetView): string {
  const lines = Object.entries({ ...view, ...documents }).filter(([, value]) => value !== undefined);
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  return lines.map(([name, value]) => name.padEnd(width) + describeValue(value)).join('\n');
}

function describeValue(value: unknown): string {
  if (isTrouble(value)) return `${value.problem} (since ${value.since})`;
  if (isHidden(value)) return namesOfHidden(value);
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? '(none)' : value.join(', ');
}

function isHidden(value: unknown): value is HiddenFiles {
  return typeof value === 'object' && value !== null && 'paths' in value;
}

function isTrouble(value: unknown): value is NonNullable<OperatorSetView['trouble']> {
  return typeof value === 'object' && value !== null && 'problem' in value;
}
