import { runScript } from './child.ts';
import type { Server } from './tidemark.ts';

/** Posts a file of events from a process of its own. Returns the seconds until all were acknowledged. */
export async function postFile(
  { url }: Server,
  options: { set: string; file: string; count: number },
): Promise<number> {
  const { set, file, count } = options;
  const { seconds, totals } = await runScript<{ seconds: number; totals: { applied: number } }>('probes/post-file.ts', {
    url: `${url}/api/sets/${set}/changes`,
    file,
  });
  if (totals.applied !== count) throw new Error(`of ${count} events ${totals.applied} were applied`);
  return seconds;
}
