import { rmSync } from 'node:fs';
import type { BenchOptions } from '../figure.ts';
import { writeEvents } from './events.ts';
import { postFile } from './post-file.ts';
import { type Server, Tidemark } from './tidemark.ts';

export const SET = 'records';

/** A source with one set of so many resources, posted with their keys in random order. */
export async function filledSource(
  { folder }: Pick<BenchOptions, 'folder'>,
  { resources, options = [] }: { readonly resources: number; readonly options?: readonly string[] },
): Promise<Tidemark> {
  const tidemark = await Tidemark.create(folder.next('data'));
  await tidemark.addSet(SET, ...options);
  const server = await tidemark.start();
  try {
    await postMore(server, { folder, count: resources, revision: 0 });
  } finally {
    await server.stop();
  }
  return tidemark;
}

/** Posts an event for each of the first resources. */
export async function postMore(
  server: Server,
  { folder, count, revision }: Pick<BenchOptions, 'folder'> & { readonly count: number; readonly revision: number },
): Promise<void> {
  const file = folder.next('events.ndjson');
  await writeEvents(file, { count, order: 'random', revision });
  await postFile(server, { set: SET, file, count });
  rmSync(file);
}
