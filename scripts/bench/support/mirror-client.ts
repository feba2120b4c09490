import { join } from 'node:path';
import { type ClientRun, runClient } from './run-client.ts';

export const MAIN = join(import.meta.dirname, '../../../src/main.js');

/** What the last pass reported: see `passView` of the command. */
export interface MirrorPass {
  readonly fetched: number;
  readonly adopted: number;
  readonly deleted: number;
  readonly failed: number;
  readonly resources: number;
}

/** Runs `tidemark mirror` for one pass. @throws Error when something could not be copied */
export async function runMirror(
  url: string,
  folder: string,
  ...options: readonly string[]
): Promise<ClientRun & { readonly pass: MirrorPass }> {
  const run = await runClient(process.execPath, [MAIN, 'mirror', url, folder, '--json', ...options]);
  return { ...run, pass: JSON.parse(run.stdout.trim().split('\n').at(-1)!) };
}
