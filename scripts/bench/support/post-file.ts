import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Server } from './tidemark.ts';

const PROBE = new URL('../probes/post-file.ts', import.meta.url).pathname;

export interface PostedFile {
  readonly set: string;
  readonly file: string;
  /** Events of it, all of which are to be applied. */
  readonly count: number;
}

/** Posts a file of events from a process of its own. Returns the seconds until all were acknowledged. */
export async function postFile(server: Server, posted: PostedFile): Promise<number> {
  const post = await readyToPost(server, posted);
  return post();
}

/**
 * Starts a process that will post a file of events, and resolves when it is ready to: its start is not the server's
 * work.
 */
export async function readyToPost({ url }: Server, { set, file, count }: PostedFile): Promise<() => Promise<number>> {
  const options = JSON.stringify({ url: `${url}/api/sets/${set}/changes`, file });
  const child = spawn(process.execPath, [PROBE, options], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`the client that posts ${file} ended with ${code}`);
  });
  // It is awaited below, when it was asked for a line.
  ended.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  const nextLine = async (): Promise<string> => {
    const [line] = await Promise.race([once(lines, 'line'), ended.then(() => [undefined])]);
    if (line === undefined) throw new Error(`the client that posts ${file} said nothing`);
    return line;
  };

  await nextLine();
  return async () => {
    const result = nextLine();
    child.stdin.write('\n');
    const { seconds, totals } = JSON.parse(await result) as { seconds: number; totals: { applied: number } };
    await ended;
    if (totals.applied !== count) throw new Error(`of ${count} events ${totals.applied} were applied`);
    return seconds;
  };
}
