import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { askJson } from './ask.ts';
import { collect } from './builders.ts';
import { isGone } from './fault-clients.ts';
import type { FaultSource } from './fault-source.ts';
import { file, postForm } from './multipart.ts';
import { until } from './until.ts';
import { marc } from './upload-packages.ts';

/** Milliseconds between two files, and between two uploads. */
const PAUSE_MS = 100;

interface Acknowledged {
  readonly number: number;
  /** The id of its one record. */
  readonly record: string;
}

/**
 * What a source does beside posts: files appear in a folder and are scanned, and uploads of one record each come in,
 * which jobs process.
 */
export class WorkUnderWay {
  readonly #folder: string;
  readonly #stopping = new AbortController();
  readonly #acknowledged: Acknowledged[] = [];
  #files = 0;
  #uploads = 0;
  #working: Promise<unknown> | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Adds a set of a folder and an organization. Call it before servers are started. */
  static async prepare(source: FaultSource): Promise<WorkUnderWay> {
    const folder = join(source.folder, 'files');
    await mkdir(folder);
    for (const command of [
      ['sets', 'add', 'files', '--root', folder],
      ['organizations', 'add', 'lane'],
      ['streams', 'add', 'lane', 'main'],
    ]) {
      const { exitCode, stderr } = await source.run(command);
      assert.equal(exitCode, 0, stderr);
    }
    return new WorkUnderWay(folder);
  }

  /** Until `stop`. */
  begin(serverUrl: string): void {
    this.#working = Promise.all([this.#writeFiles(), this.#upload(serverUrl)]);
    this.#working.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  /** Waits until all of it is published, and requires that nothing of it is missing or there twice. */
  async requireEachOnce(app: App, serverUrl: string): Promise<void> {
    const names = Array.from({ length: this.#files }, (_, number) => `created /${number}.txt`);
    assert.ok(names.length > 0);
    await until('all files are in the log', async () => (await changesOf(app, 'files')).length >= names.length, 500);
    assert.deepEqual(await changesOf(app, 'files'), names.toSorted());

    assert.ok(this.#acknowledged.length > 0);
    for (const { number } of this.#acknowledged) {
      const url = `${serverUrl}/api/organizations/lane/uploads/main/${number}`;
      await until(`upload ${number} is processed`, async () => (await askJson(url)).body.status === 'processed');
    }
    const changes = await changesOf(app, 'lane--main');
    assert.equal(new Set(changes).size, changes.length, 'a record was published twice');
    const missing = this.#acknowledged.filter(({ record }) => !changes.includes(`created /${record}`));
    assert.deepEqual(missing, []);
  }

  async #writeFiles(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const path = join(this.#folder, `${this.#files}.txt`);
      // As a whole, so that no scan meets a part.
      await writeFile(`${this.#folder}.part`, `file ${this.#files}`);
      await rename(`${this.#folder}.part`, path);
      this.#files += 1;
      await wait(PAUSE_MS);
    }
  }

  /** One that is refused, or whose answer is lost, is not sent again: its record may come, and once. */
  async #upload(serverUrl: string): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const record = `id${this.#uploads++}`;
      try {
        const { status, json } = await postForm(`${serverUrl}/api/organizations/lane/uploads`, [
          file(`${record}.mrc`, marc(record)),
        ]);
        if (status === 201) this.#acknowledged.push({ number: json.number, record });
        else assert.equal(status, 503, JSON.stringify(json));
      } catch (error) {
        if (!isGone(error)) throw error;
      }
      await wait(PAUSE_MS);
    }
  }
}

/** Kind and key of each, sorted. */
async function changesOf(app: App, slug: string): Promise<readonly string[]> {
  const { id } = await app.sets.bySlug(slug);
  const changes = (await collect(app.index.changes(id, { after: 0 }))).flat();
  return changes.map(({ kind, key }) => `${kind} ${key}`).toSorted();
}
