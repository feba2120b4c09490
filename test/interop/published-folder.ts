import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startTidemark } from '../support/run-tidemark.ts';
import { get } from './http.ts';

/** Milliseconds; changes show up within two seconds, but a machine that runs tests may be busy. */
const PATIENCE = 20_000;

/** A folder that the real program publishes on a free port. */
export interface PublishedFolder {
  readonly baseUrl: string;
  /** The set's URI, without a slash at its end. */
  readonly set: string;
  /** The folder with the files. */
  readonly files: string;
  /** Resolves when the set has had so many changes. */
  seen(changes: number): Promise<void>;
}

/** Starts `tidemark publish` over `<folder>/files`, which `fill` fills before. Whoever calls it calls `killTidemarks` in afterEach. */
export async function publishFolder(
  folder: string,
  fill: (files: string) => Promise<void>,
  ...options: readonly string[]
): Promise<PublishedFolder> {
  const files = join(folder, 'files');
  await mkdir(files);
  await fill(files);
  const running = startTidemark(['publish', files, '--port', '0', ...options], { cwd: folder });
  const [, baseUrl = ''] = await running.says(/Source Description +(\S+)\/\.well-known/);
  return {
    baseUrl,
    files,
    set: `${baseUrl}/sets/files`,
    async seen(changes) {
      const until = Date.now() + PATIENCE;
      for (let seen = -1; ; await wait(50)) {
        seen = JSON.parse((await get(`${baseUrl}/api/sets/files`)).text).changes;
        if (seen === changes) return;
        if (Date.now() > until || seen > changes) throw new Error(`${seen} changes were seen, not ${changes}`);
      }
    },
  };
}
