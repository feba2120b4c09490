import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Workplace } from '../support/workplace.ts';
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

/** Starts `tidemark publish` over the folder `files` of a workplace, which `fill` fills before. */
export async function publishFolder(
  place: Workplace,
  fill: (files: string) => Promise<void>,
  ...options: readonly string[]
): Promise<PublishedFolder> {
  const files = join(place.folder, 'files');
  await mkdir(files);
  await fill(files);
  const running = place.start(['publish', files, '--port', '0', ...options]);
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
