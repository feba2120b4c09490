import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import type { StartedApp } from './start-app.ts';
import { LONG_AGO } from './temp-folder.ts';

/** The set `maps` of a started app, which keeps the versions of the files in a folder of its own. */
export class VersionedSet {
  /** Where its documents are. */
  readonly home: string;
  readonly #started: StartedApp;

  constructor(started: StartedApp) {
    this.#started = started;
    this.home = `${started.url}/sets/maps`;
  }

  async add(settings: object = {}): Promise<void> {
    const folder = join(this.#started.folder, 'files');
    await mkdir(folder);
    await this.#started.app.sets.add({ slug: 'maps', origin: originOfRoot(folder), keepVersions: true, ...settings });
    await this.scan();
  }

  /** Writes a file, always with the same time, and scans. */
  async put(name: string, content: string): Promise<void> {
    await this.putAll([[name, content]]);
  }

  async putAll(files: readonly (readonly [name: string, content: string])[]): Promise<void> {
    for (const [name, content] of files) {
      const file = join(this.#started.folder, 'files', name);
      await writeFile(file, content);
      await utimes(file, LONG_AGO, LONG_AGO);
    }
    await this.scan();
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#started.folder, 'files', name));
    await this.scan();
  }

  /** As a person does: also when all files were deleted. */
  async scan(): Promise<void> {
    const { app } = this.#started;
    const set = await app.sets.bySlug('maps');
    await sync({ set, source: app.sourceOf(set), updater: app.updater, attended: true });
    await app.sets.markReady('maps');
  }
}
