import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import type { Workplace } from '../support/workplace.ts';
import { get } from './http.ts';

/** A folder that the real program publishes on a free port. */
export interface PublishedFolder {
  readonly baseUrl: string;
  /** The set's URI, without a slash at its end. */
  readonly set: string;
  /** The folder with the files. */
  readonly files: string;
  /**
   * Puts a whole new file there: one that is written in place may be seen while it is empty, which is a change more.
   */
  put(name: string, content: string): Promise<void>;
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
  const running = place.startProcess(['publish', files, '--port', '0', ...options]);
  const [, baseUrl = ''] = await running.says(/Source Description +(\S+)\/\.well-known/);
  return {
    baseUrl,
    files,
    set: `${baseUrl}/sets/files`,
    async put(name, content) {
      const written = join(place.folder, 'written');
      await writeFile(written, content);
      await rename(written, join(files, name));
    },
    async seen(changes) {
      await until(`${changes} changes`, async () => {
        const seen = JSON.parse((await get(`${baseUrl}/api/sets/files`)).text).changes;
        assert.ok(seen <= changes, `${seen} changes were seen, not ${changes}`);
        return seen === changes;
      });
    },
  };
}
