import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartedApp } from './start-app.ts';

/** The names of the files that are stored of an organization's uploads, also those that are being written. */
export async function storedFiles({ folder }: Pick<StartedApp, 'folder'>, organization: string): Promise<string[]> {
  const artifacts = join(folder, 'artifacts');
  const names = async (path: string) => {
    const entries = await readdir(join(artifacts, path), { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };
  return [...(await names(`_uploads/${organization}`)), ...(await names('.unfinished'))].sort();
}
