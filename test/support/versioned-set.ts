import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import type { StartedApp } from './start-app.ts';
import { LONG_AGO } from './temp-folder.ts';

/** A set of a started app, which keeps the versions of the files in a folder of its own. */
export class VersionedSet {
  readonly slug: string;
  /** Where its documents are. */
  readonly home: string;
  /** Where its files are. */
  readonly folder: string;
  readonly #started: StartedApp;

  /** @param slug `maps` unless it is given */
  constructor(started: StartedApp, slug?: string) {
    this.#started = started;
    this.slug = slug ?? 'maps';
    this.home = `${started.url}/sets/${this.slug}`;
    this.folder = join(started.folder, slug ?? 'files');
  }

  async add(settings: object = {}): Promise<void> {
    await mkdir(this.folder);
    const origin = originOfRoot(this.folder);
    await this.#started.app.sets.add({ slug: this.slug, origin, keepVersions: true, ...settings });
    await this.scan();
  }

  /** Writes a file, always with the same time, and scans. */
  async put(name: string, content: string): Promise<void> {
    await this.putAll([[name, content]]);
  }

  async putAll(files: readonly (readonly [name: string, content: string])[]): Promise<void> {
    for (const [name, content] of files) {
      const file = join(this.folder, name);
      await writeFile(file, content);
      await utimes(file, LONG_AGO, LONG_AGO);
    }
    await this.scan();
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name));
    await this.scan();
  }

  /** As a person does: also when all files were deleted. */
  async scan(): Promise<void> {
    const { app } = this.#started;
    const set = await app.sets.bySlug(this.slug);
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater, attended: true });
    await app.sets.markReady(this.slug);
  }
}
