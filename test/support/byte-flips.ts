import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqliteLocation } from '../../src/stores/locations.ts';
import { ask, NDJSON_BODY } from './ask.ts';
import { SQLITE } from './each-store.ts';
import { BASE_URL, FaultSource, SET_URL, SLUG } from './fault-source.ts';
import { type FinishedRun, killTidemarks, runProcess } from './run-tidemark.ts';

const LIMITS = { pageEntries: 10_000, windowChanges: 50_000 };
/** Most resources of a store that is served and verified within this process, which takes a part of the time. */
const SMALL = 10_000;
/** A million resources take minutes on a busy machine. */
const VERIFY_TIMEOUT_MS = 1_200_000;
/** Events of one request. */
const BATCH = 10_000;
const DAMAGED = /is damaged|damage|not an SQLite database|cannot be read|schema version|database of another program/;

/** SQLite's header, and the first rows of the schema. */
const HEADER_BYTES = 8_192;

/** What became of a store with a flipped bit. */
interface Flipped {
  readonly offset: number;
  /** Exit code of `verify`. */
  readonly verified: number | null;
  /** Documents with status 200 and other bytes than before. */
  readonly wrong: readonly string[];
  /** Documents that were refused, or all when the server did not start. */
  readonly refused: number;
}

/** A store of SQLite with one set, in which single bits are flipped. Closed with `closeFaultSources`. */
export class FlippedStore {
  readonly #source: FaultSource;
  readonly #file: string;
  readonly #isSmall: boolean;
  /** Digests of all current documents, by URL. */
  #documents: ReadonlyMap<string, string> = new Map();

  private constructor(source: FaultSource, isSmall: boolean) {
    this.#source = source;
    this.#isSmall = isSmall;
    this.#file = (source.store.location as SqliteLocation).file;
  }

  static async make(resources: number): Promise<FlippedStore> {
    const store = new FlippedStore(await FaultSource.make(SQLITE, LIMITS), resources <= SMALL);
    await store.#fill(resources);
    return store;
  }

  get #bytes(): number {
    return statSync(this.#file).size;
  }

  async #fill(resources: number): Promise<void> {
    const { process, url } = await this.#source.serve();
    for (let from = 0; from < resources; from += BATCH) {
      const lines = Array.from({ length: Math.min(BATCH, resources - from) }, (_, at) => {
        const value = `a/path/of/some/length/${from + at}.pdf`;
        const hash = [`md5:${createHash('md5').update(value).digest('hex')}`];
        return `${JSON.stringify({ location: { value, type: 'rel_path' }, change: 'created', length: from + at, hash })}\n`;
      });
      const path = `/api/sets/${SLUG}/changes`;
      const { status, text } = await ask(url + path, { method: 'POST', headers: NDJSON_BODY, body: lines.join('') });
      assert.equal(status, 200, text);
    }
    this.#documents = (await this.#read(url)).documents;
    process.signal('SIGTERM');
    assert.equal(await process.exit(), 0);
  }

  /**
   * Flips bits at places that are drawn from all of the file, and some in its header. Requires that no document with
   * other bytes is served that `verify` does not find, and that nothing is left that cannot be said.
   */
  async requireFound(flips: number, random: () => number): Promise<void> {
    const found = { wrong: 0, refused: 0, verified: 0 };
    for (let at = 0; at < flips; at++) {
      const below = at % 6 === 0 ? HEADER_BYTES : this.#bytes;
      const flipped = await this.#flipped(Math.floor(random() * below), Math.floor(random() * 8));
      if (flipped.wrong.length > 0) assert.notEqual(flipped.verified, 0, JSON.stringify(flipped));
      if (flipped.wrong.length > 0) found.wrong += 1;
      if (flipped.refused > 0) found.refused += 1;
      if (flipped.verified !== 0) found.verified += 1;
    }
    assert.ok(found.verified > 0, JSON.stringify(found));
    assert.deepEqual(await this.#serve(), { wrong: [], refused: 0 }, 'it is whole again');
  }

  /** Flips one bit, opens, serves and verifies the store, and flips it back. */
  async #flipped(offset: number, bit: number): Promise<Flipped> {
    this.#flip(offset, bit);
    try {
      const served = await this.#serve();
      const { exitCode, stderr, stdout } = await this.#verify();
      assert.ok(exitCode !== null && exitCode <= 3, stderr);
      assert.doesNotMatch(stderr, /something went wrong inside/);
      if (exitCode === 3) assert.match(stderr, DAMAGED);
      if (exitCode === 1) assert.notEqual(stdout, '');
      return { offset, verified: exitCode, ...served };
    } finally {
      this.#flip(offset, bit);
    }
  }

  #verify(): Promise<FinishedRun> {
    const args = ['verify', SLUG, '--json'];
    if (this.#isSmall) return this.#source.run(args);
    const env = this.#source.environment();
    return runProcess(args, { cwd: this.#source.folder, env, timeout: VERIFY_TIMEOUT_MS });
  }

  async #serve(): Promise<Pick<Flipped, 'wrong' | 'refused'>> {
    // Nothing that was rendered before.
    const dataFolder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    try {
      const { url } = await this.#source.serve({ dataFolder, here: this.#isSmall });
      const { documents, refused } = await this.#read(url);
      const wrong = [...documents].filter(([path, digest]) => this.#documents.get(path) !== digest);
      return { wrong: wrong.map(([path]) => path), refused };
    } catch (error) {
      assert.match((error as Error).message, DAMAGED);
      return { wrong: [], refused: this.#documents.size };
    } finally {
      await killTidemarks();
      await rm(dataFolder, { recursive: true });
    }
  }

  async #read(url: string): Promise<{ readonly documents: ReadonlyMap<string, string>; readonly refused: number }> {
    const documents = new Map<string, string>();
    let refused = 0;
    const read = async (path: string): Promise<void> => {
      const answer = await ask(url + path);
      if (answer.status !== 200) {
        assert.ok(answer.status === 503 || answer.status === 404, `${path}: ${answer.status} ${answer.text}`);
        refused += 1;
        return;
      }
      documents.set(path, createHash('sha256').update(answer.bytes).digest('hex'));
      if (!answer.text.includes('<sitemapindex')) return;
      for (const [, loc] of answer.text.matchAll(/<loc>([^<]+)<\/loc>/g)) await read(loc!.slice(BASE_URL.length));
    };
    for (const name of ['capabilitylist.xml', 'resourcelist.xml', 'changelist.xml']) {
      await read(SET_URL.slice(BASE_URL.length) + name);
    }
    return { documents, refused };
  }

  #flip(offset: number, bit: number): void {
    const file = openSync(this.#file, 'r+');
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, offset);
    byte[0]! ^= 1 << bit;
    writeSync(file, byte, 0, 1, offset);
    closeSync(file);
  }
}
