import type { App } from '../app.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { setView } from '../http/views.ts';

type Sets = Pick<App, 'index' | 'sets'>;

/** A set as commands print it: what the API says of it, and what only its operator may know. */
export async function viewSet({ index, sets }: Sets, set: ResourceSet) {
  const { baseUrl } = await sets.source();
  return {
    ...setView(set, await index.summary(set.id), baseUrl),
    root: set.root,
    resourceRootDir: set.resourceRootDir,
    exclude: set.exclude,
    pageSize: set.pageEntries,
    windowSize: set.windowChanges,
    publishHashes: set.publishHashes,
  };
}

export type OperatorSetView = Awaited<ReturnType<typeof viewSet>>;

export async function viewSets(app: Sets): Promise<readonly OperatorSetView[]> {
  const views: OperatorSetView[] = [];
  for (const set of await app.sets.list()) views.push(await viewSet(app, set));
  return views;
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
