import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { recordIdOfKey } from '../../src/core/record-key.ts';
import { readUploadState, statusOf } from '../../src/records/arrivals/upload-state.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { collect } from './builders.ts';
import { readDumpFiles, withDelta } from './dump-consumer.ts';
import { ProcessedStream } from './upload-processing.ts';

/** What an upload says of an id: a text, or that it is deleted. */
export type Said = ReadonlyMap<string, string | undefined>;

const { signal } = new AbortController();

/** A stream of the organization `lane` whose uploads are removed, beside the model: the fold of those that are left. */
export class RemovingStream {
  readonly stream: ProcessedStream;
  readonly #app: App;
  readonly #name: string;
  readonly #said = new Map<number, Said>();
  readonly #waiting = new Set<number>();
  readonly removed = new Set<number>();

  constructor(app: App, name: string) {
    this.#app = app;
    this.#name = name;
    this.stream = Object.assign(Object.create(ProcessedStream.prototype), { app, stream: name });
  }

  /** Uploads files as a full upload, and processes them. The model does not know it. */
  async uploadFull(files: Readonly<Record<string, Buffer>>): Promise<number> {
    const receiving = await this.#app.records.uploads.begin('lane', this.#name);
    for (const [name, bytes] of Object.entries(files)) await receiving.add(name, [bytes]);
    const full = { unmentioned: 'deleted', acceptsDrop: true } as const;
    const { number } = await receiving.finish({ stream: this.#name, ...full });
    await this.stream.process(number);
    return number;
  }

  get numbers(): readonly number[] {
    return [...this.#said.keys()];
  }

  async upload(files: Readonly<Record<string, Buffer | string>>, said: Said, isProcessed = true): Promise<number> {
    const number = await this.stream.upload(files);
    this.#said.set(number, said);
    this.#waiting.add(number);
    if (isProcessed) await this.process();
    return number;
  }

  /** Processes what waits, but for what was removed. An upload of which nothing is taken fails. */
  async process(): Promise<void> {
    for (const number of this.#waiting) {
      this.#waiting.delete(number);
      if (this.removed.has(number)) await assert.rejects(this.stream.process(number), /was removed/);
      else if (this.#said.get(number)!.size > 0) await this.stream.process(number);
      else await assert.rejects(this.stream.process(number), /nothing was taken/);
    }
  }

  /** @param first whether what waits is processed before it is removed */
  async remove(number: number, first = true): Promise<void> {
    const { readingAgain, uploads } = this.#app.records;
    if (first) await this.process();
    const upload = await uploads.get('lane', this.#name, number);
    const { number: delivery } = await readingAgain.remove(upload, { reason: 'a test', by: { name: 'tester' } });
    this.removed.add(number);
    await this.process();
    await this.stream.process(delivery);
  }

  async processAgain(): Promise<void> {
    await this.process();
    const by = { name: 'tester' };
    const { number } = await this.#app.records.readingAgain.processAgain({
      organization: 'lane',
      stream: this.#name,
      by,
    });
    await this.stream.process(number);
  }

  /** The records that the uploads say which were not removed. */
  get model(): ReadonlyMap<string, string> {
    const records = new Map<string, string>();
    for (const [number, said] of this.#said) {
      if (this.removed.has(number)) continue;
      for (const [id, text] of said) {
        if (text === undefined) records.delete(id);
        else records.set(id, text);
      }
    }
    return records;
  }

  /** Compares the set of the stream, and reads each record. Requires that nothing is left of removed uploads. */
  async compare(): Promise<void> {
    assert.deepEqual(await recordsOf(this.#app, `lane--${this.#name}`), sorted(this.model), this.#name);
    for (const number of this.removed) {
      const upload = await this.#app.records.uploads.get('lane', this.#name, number);
      const state = (await readUploadState(this.#app.catalog, upload))!.body;
      assert.equal(statusOf(state), 'removed');
      for (const { artifact } of upload.files) assert.equal(await this.#app.artifacts.head(artifact), undefined);
      const folder = `_streams/lane/${this.#name}/${String(number).padStart(9, '0')}/`;
      assert.deepEqual((await collect(this.#app.artifacts.list(folder))).flat(), []);
    }
  }
}

/** The records of a set, as texts by id. */
export async function recordsOf(app: App, slug: string): Promise<Readonly<Record<string, string>>> {
  const { id } = await app.sets.bySlug(slug);
  const found = new Map<string, string>();
  for (const { key, state } of (await collect(app.index.read(id, {}))).flat()) {
    const { document } = await app.sources.records.read(state.record!, state.hashes!['sha-256']!);
    found.set(recordIdOfKey(key)!, Buffer.from(document).toString());
  }
  return sorted(found);
}

/** What a client has that takes all dumps of the default stream that are listed, from the first full one on. */
export async function recordsOfDumps(app: App): Promise<Readonly<Record<string, string>>> {
  const { streamDumps } = app.records;
  let records: Awaited<ReturnType<typeof readDumpFiles>>['records'] | undefined;
  for (const dump of await streamDumps.list({ organization: 'lane' })) {
    const content = await readDumpFiles(dump, streamDumps);
    if (dump.kind === 'full') records = content.records;
    else if (records !== undefined) records = withDelta(records, content);
  }
  return sorted(new Map([...records!].map(([id, content]) => [id, String(content)])));
}

/** Syncs a set, by default that of the default stream. */
export async function syncSet(app: App, slug = 'lane'): Promise<void> {
  const set = await app.sets.bySlug(slug);
  await sync({ set, source: app.sources.sourceOf(set), updater: app.updater, signal });
}

export function sorted(records: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...records].sort(([one], [other]) => (one < other ? -1 : 1)));
}
