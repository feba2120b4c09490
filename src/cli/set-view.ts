import type { App } from '../app.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { setView } from '../http/views.ts';
import { type SummarizedSet, summarize } from '../sets/summarized-sets.ts';

type Sets = Pick<App, 'index' | 'sets'>;

/** A set as commands print it: what the API says of it, and what only its operator may know. */
export async function viewSet({ index, sets }: Sets, set: ResourceSet): Promise<OperatorSetView> {
  const { baseUrl } = await sets.source();
  return viewFor({ set, summary: await index.summary(set.id) }, baseUrl);
}

export async function viewSets({ index, sets }: Sets): Promise<readonly OperatorSetView[]> {
  const all = await sets.list();
  if (all.length === 0) return [];
  const { baseUrl } = await sets.source();
  return (await summarize(index, all)).map((summarized) => viewFor(summarized, baseUrl));
}

export type OperatorSetView = ReturnType<typeof viewFor>;

function viewFor({ set, summary }: SummarizedSet, baseUrl: string) {
  return {
    ...setView(set, summary, baseUrl),
    root: set.root,
    presignedSeconds: set.presignedSeconds,
    resourceRootDir: set.resourceRootDir,
    exclude: set.exclude,
    pageSize: set.pageEntries,
    windowSize: set.windowChanges,
    publishHashes: set.publishHashes,
  };
}

/** A set's properties, one a line. */
export function describeSet({ documents, ...view }: OperatorSetView): string {
  return Object.entries({ ...view, ...documents })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(17)}${describeValue(value)}`)
    .join('\n');
}

function describeValue(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? '(none)' : value.join(', ');
}
