import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PageDirectory } from '../../src/publish/pages/page-directory.ts';
import type { RetiredPage } from '../../src/publish/pages/stored-directory.ts';
import type { LogEntry } from '../../src/stores/change-log.ts';
import type { Survey } from '../../src/stores/resource-states.ts';
import { PieceCutter } from '../../src/stores/survey.ts';

const LIMITS = { entries: 6, weight: 1_000 };

/** The set as a plain map: what is live, and since when. */
class Model {
  readonly live = new Map<string, { created: number; weight: number; stamp: number }>();
  readonly log: LogEntry[] = [];
  /** Of the last change of each key, deletions included. */
  readonly #stamps = new Map<string, number>();
  #stamp = 100;

  post(key: string, deleted: boolean, weight: number): void {
    const known = this.live.get(key);
    if (deleted && known === undefined) return;
    this.#stamp += 2;
    const kind = deleted ? 'deleted' : known === undefined ? 'created' : 'updated';
    this.log.push({ set: 1, key, kind, stamp: this.#stamp, weight });
    this.#stamps.set(key, this.#stamp);
    if (deleted) this.live.delete(key);
    else this.live.set(key, { created: known?.created ?? this.#stamp, weight, stamp: this.#stamp });
  }

  get through(): number {
    return this.#stamp + 1;
  }

  keys(from: string, to: string | undefined, createdBefore = Number.POSITIVE_INFINITY): string[] {
    return [...this.live.keys()]
      .filter((key) => key >= from && (to === undefined || key < to) && this.live.get(key)!.created < createdBefore)
      .sort();
  }

  survey(from: string, to: string | undefined): Survey {
    const cutter = new PieceCutter(from === '' ? undefined : from, LIMITS);
    const keys = [...this.#stamps.keys()].filter((key) => isWithin(key, { from, to })).sort();
    for (const key of keys) {
      const live = this.live.get(key);
      cutter.add({ key, stamp: this.#stamps.get(key)!, live: live !== undefined, weight: live?.weight ?? 0 });
    }
    return { through: this.through, pieces: cutter.pieces() };
  }

  /** The stamp of the last change in a range, deletions included; 0 for none. */
  newest(from: string, to: string | undefined): number {
    const keys = [...this.#stamps.keys()].filter((key) => isWithin(key, { from, to }));
    return Math.max(0, ...keys.map((key) => this.#stamps.get(key)!));
  }
}

function isWithin(key: string, { from, to }: { readonly from: string; readonly to: string | undefined }): boolean {
  return key >= from && (to === undefined || key < to);
}

/** A server that follows the model's log. */
class Server {
  directory: PageDirectory;
  readonly model: Model;
  #counted: number;

  constructor(model: Model) {
    this.model = model;
    this.directory = PageDirectory.survey({ epoch: 1 }, model.survey('', undefined), LIMITS);
    this.#counted = model.log.length;
  }

  /** Counts the log up to its last `lag` changes. */
  follow(lag = 0): void {
    const end = Math.max(this.#counted, this.model.log.length - lag);
    for (const entry of this.model.log.slice(this.#counted, end)) this.directory.apply(entry);
    this.#counted = end;
  }

  /** Surveys count changes that are not counted yet, when they lag behind. */
  publish(lag: number): void {
    this.follow(lag);
    do {
      this.settle();
      this.follow();
    } while (this.directory.overflowing().length > 0 || this.directory.hasEmptyPages());
  }

  /** As if it were stored and read by another process. */
  restart(): void {
    this.directory = new PageDirectory(JSON.parse(JSON.stringify(this.directory.toStored(0))), LIMITS);
  }

  settle(): void {
    for (const { name, from } of this.directory.overflowing()) {
      this.directory.split(name, this.model.survey(from, this.directory.endOf(name)), 0);
    }
    if (this.directory.through >= this.model.through) this.directory.removeEmptyPages(0);
  }

  read(name: string): string[] | undefined {
    const page = this.directory.pages.find((candidate) => candidate.name === name);
    if (page !== undefined) return this.model.keys(page.from, this.directory.endOf(name));
    const retired = this.directory.retired.find((candidate): candidate is RetiredPage => candidate.name === name);
    return retired && this.model.keys(retired.from, retired.to, retired.through);
  }
}

const key = fc.nat(60).map((number) => `/${String(number).padStart(2, '0')}`);
const post = fc.record({ key, deleted: fc.boolean(), weight: fc.integer({ min: 20, max: 250 }) });
const append = fc.nat(30).map((count) => ({ append: count }));
const step = fc.oneof(
  { weight: 12, arbitrary: post },
  { weight: 1, arbitrary: append },
  { weight: 3, arbitrary: fc.nat(12).map((lag) => ({ lag })) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
);

function run(
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  check: (server: Server) => void,
) {
  const server = new Server(new Model());
  let appended = 0;
  for (const one of steps) {
    if (one === 'restart') server.restart();
    else if ('lag' in one) {
      server.publish(one.lag);
      check(server);
    } else if ('append' in one) {
      for (let count = 0; count < one.append; count++)
        server.model.post(`/z${String(appended++).padStart(5, '0')}`, false, 20);
    } else server.model.post(one.key, one.deleted, one.weight);
  }
}

describe('the page directory', () => {
  it('holds every live key in exactly one page, within the limits', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        run(steps, ({ directory, model }) => {
          const held = directory.pages.flatMap(({ name, from, entries }) => {
            const keys = model.keys(from, directory.endOf(name));
            assert.equal(entries, keys.length, `the count of ${name}`);
            assert.ok(entries <= LIMITS.entries);
            assert.ok(keys.reduce((sum, one) => sum + model.live.get(one)!.weight, 0) <= LIMITS.weight);
            return keys;
          });
          assert.deepEqual(held, model.keys('', undefined));
          assert.ok(directory.pages.length === 1 || directory.pages.every(({ entries }) => entries > 0));
        });
      }),
      { numRuns: 300 },
    );
  });

  it('gives a page the newest stamp of its range as version, deletions included, and never a lower one', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
        run(steps, ({ directory, model }) => {
          const last = model.newest('', undefined);
          for (const { name, from, version } of directory.pages) {
            // A page that grew over a neighbour, or was cut from one, may have the stamp of what was beside it.
            const newest = model.newest(from, directory.endOf(name));
            assert.ok(version >= newest && version <= last, `${name} has the version ${version}, not ${newest}`);
          }
        });
      }),
      { numRuns: 200 },
    );
  });

  it('lets a client that read an index find every key of it under the names it read, whatever happened since', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const indexes: { at: number; held: Map<string, string[]> }[] = [];
        run(steps, (server) => {
          const { directory, model } = server;
          for (const { at, held } of indexes) {
            const gone = new Set(
              model.log.filter(({ kind, stamp }) => kind === 'deleted' && stamp > at).map(({ key }) => key),
            );
            for (const [name, keys] of held) {
              const now = new Set(server.read(name) ?? assert.fail(`the name ${name} is lost`));
              for (const one of keys) assert.ok(now.has(one) || gone.has(one), `${one} is lost from ${name}`);
              assert.ok(now.size <= LIMITS.entries, `${name} has ${now.size} entries`);
            }
          }
          const held = directory.pages.map(
            ({ name, from }) => [name, model.keys(from, directory.endOf(name))] as const,
          );
          indexes.push({ at: model.through, held: new Map(held) });
        });
      }),
      { numRuns: 300 },
    );
  });

  it('opens a new page for a key beyond a full one, and leaves the full one its name', () => {
    const server = new Server(new Model());
    const [first] = server.directory.pages;
    for (let number = 0; number < 13; number++) server.model.post(`/${String(number).padStart(2, '0')}`, false, 20);
    server.follow();
    assert.deepEqual(
      server.directory.pages.map(({ entries }) => entries),
      [6, 6, 1],
    );
    assert.equal(server.directory.pages[0]!.name, first!.name);
    assert.deepEqual(server.directory.retired, []);
  });

  it('gives the range of an empty first page to the next', () => {
    const server = new Server(new Model());
    for (let number = 10; number < 20; number++) server.model.post(`/${number}`, false, 20);
    server.publish(0);
    for (let number = 10; number < 16; number++) server.model.post(`/${number}`, true, 20);
    server.publish(0);
    server.model.post('/00', false, 20);
    server.publish(0);
    assert.deepEqual(
      server.directory.pages.map(({ from, entries }) => [from, entries]),
      [['', 5]],
    );
  });

  it('forgets a retired name after a day', () => {
    const server = new Server(new Model());
    for (const number of [9, 8, 7, 6, 5, 4, 3, 2]) server.model.post(`/${number}`, false, 20);
    server.follow();
    server.settle();
    assert.equal(server.directory.toStored(24 * 3_600_000 - 1).retired.length, 1);
    assert.equal(server.directory.toStored(24 * 3_600_000).retired.length, 0);
  });
});
