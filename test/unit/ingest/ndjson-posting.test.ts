import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { mock } from 'node:test';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { type LineResult, postNdjson } from '../../../src/ingest/ndjson-posting.ts';
import { isRejection } from '../../../src/ingest/posted-event.ts';
import type { ParsedEvent, Posting, PostingResult } from '../../../src/ingest/posting.ts';
import { MAX_LINE_BYTES } from '../../../src/lib/bytes/ndjson-lines.ts';
import { until } from '../../support/until.ts';

const SET = {
  id: 1,
  slug: 'papers',
  urlPrefix: 'http://example.org/set/',
  origin: { kind: 'posted' },
  epoch: 1,
  epochStart: 1,
  ready: true,
  publishHashes: [],
  exclude: [],
  pageEntries: 3,
  windowChanges: 3,
} as const;

describe('A stream of posted events', () => {
  /** The numbers of the lines of each batch that was posted. */
  let posted: number[][];
  /** Batches that were posted and are not committed. */
  let underWay: PromiseWithResolvers<void>[];
  let isHeld: boolean;
  beforeEach(() => {
    posted = [];
    underWay = [];
    isHeld = false;
  });

  const posting: Posting = {
    set: SET,
    async post(events) {
      posted.push(events.map(({ number }) => number));
      if (isHeld) {
        const commit = Promise.withResolvers<void>();
        underWay.push(commit);
        await commit.promise;
      }
      return events.map(resultOf);
    },
  };
  const resultOf = ({ event }: ParsedEvent): PostingResult =>
    isRejection(event) ? event : { status: 'unchanged', reason: 'same-state' };
  const line = (path: string, more: object = {}) =>
    `${JSON.stringify({ location: { type: 'rel_path', value: path }, change: 'created', ...more })}\n`;
  const lines = (count: number) => Array.from({ length: count }, (_, at) => line(`${at}`)).join('');
  const sizes = () => posted.map(({ length }) => length);

  async function* chunks(...texts: readonly (string | Buffer | Promise<unknown>)[]): AsyncGenerator<Buffer> {
    for (const text of texts) {
      if (text instanceof Promise) await text;
      else yield Buffer.from(text);
    }
  }

  /** The results of every line, as the caller gets them; also those before an error. */
  async function take(input: AsyncIterable<Buffer>, results: LineResult[] = []): Promise<readonly LineResult[]> {
    for await (const batch of postNdjson(input, posting)) results.push(...batch);
    return results;
  }
  const short = (results: readonly LineResult[]) =>
    results.map(({ number, result }) => `${number} ${result.status === 'rejected' ? result.code : result.status}`);

  const numbered = (count: number, text: string) => Array.from({ length: count }, (_, at) => `${at + 1} ${text}`);

  it('has a result for each line by its number, in order, whatever is wrong with others', async () => {
    const long = `"${'x'.repeat(MAX_LINE_BYTES)}"\n`;
    const input = chunks(line('a'), '\n{"a\n', Buffer.from([0xff, 0x0a]), long, '[1]\n', line('b').trim());
    const results = await take(input);
    const expected = ['1 unchanged', '3 not-json', '4 not-utf-8', '5 line-too-long', '6 not-an-object', '7 unchanged'];
    assert.deepEqual(short(results), expected);
    const [, json, utf8, tooLong] = results.map(({ result }) => ('message' in result ? result.message : ''));
    assert.match(json!, /^the line is not JSON: .+/);
    assert.match(utf8!, /UTF-8/);
    assert.match(tooLong!, /1048576/);
  });

  it('without any event posts nothing', async () => {
    assert.deepEqual(await take(chunks('\n \n')), []);
    assert.deepEqual(posted, []);
  });

  it('is posted in batches of 2,000 events', async () => {
    assert.equal((await take(chunks(lines(4_001)))).length, 4_001);
    assert.deepEqual(sizes(), [2_000, 2_000, 1]);
  });

  it('is posted in smaller batches when its events are heavy', async () => {
    const href = { type: 'url', value: `https://objects.example.org/${'x'.repeat(900)}` };
    const ln = Array.from({ length: 1_000 }, () => ({ rel: 'describes', href }));
    assert.deepEqual(short(await take(chunks(...Array(7).fill(line('a', { ln }))))), numbered(7, 'unchanged'));
    assert.deepEqual(sizes(), [5, 2]);
  });

  it('is posted in smaller batches when what is wrong is heavy', async () => {
    const results = await take(chunks(...Array(6).fill(line('x'.repeat(900_000)))));
    assert.deepEqual(short(results), numbered(6, 'uri-too-long'));
    assert.deepEqual(sizes(), [5, 1]);
  });

  it('is posted when its input pauses, before its end', async () => {
    const end = Promise.withResolvers<void>();
    const results: LineResult[] = [];
    const taking = take(chunks(line('a'), line('b'), end.promise, line('c'), end.promise), results);
    await until('the first two', async () => results.length === 2);
    end.resolve();
    await taking;
    assert.deepEqual(posted.flat(), [1, 2, 3]);
    assert.deepEqual(posted.at(-1), [3]);
  });

  it('is posted while its input goes on without a pause', async () => {
    const results: LineResult[] = [];
    async function* input() {
      const begun = performance.now();
      for (let at = 0; results.length === 0; at++) {
        if (performance.now() - begun > 30_000) return;
        yield Buffer.from(line(`${at}`));
        await wait(1);
      }
      ended = results.length;
    }
    let ended = 0;
    await take(input(), results);
    assert.ok(ended > 0, 'it had no result before its end');
  });

  it('is read no further than five batches ahead of what is committed', async () => {
    isHeld = true;
    let read = 0;
    async function* input() {
      for (; read < 8; read++) yield Buffer.from(lines(2_000));
    }
    const taking = take(input());
    await until('five batches', async () => posted.length === 5);
    await wait(30);
    assert.deepEqual([posted.length, read], [5, 5]);
    underWay.shift()!.resolve();
    await until('one more', async () => posted.length === 6);
    assert.equal(read, 6);
    isHeld = false;
    for (const commit of underWay) commit.resolve();
    assert.equal((await taking).length, 16_000);
  });

  it('shares with others: twelve batches of all streams, and at least two of each', async () => {
    isHeld = true;
    async function* input(chunks: number) {
      for (let read = 0; read < chunks; read++) yield Buffer.from(lines(2_000));
    }
    const streams = (count: number, chunks: number) => Array.from({ length: count }, () => take(input(chunks)));
    const taking = streams(3, 5);
    await until('four each', async () => posted.length === 12);
    await wait(30);
    assert.equal(posted.length, 12);
    taking.push(...streams(5, 3));
    await until('two each', async () => posted.length === 12 + 5 * 2);
    await wait(30);
    assert.equal(posted.length, 22);
    isHeld = false;
    for (const commit of underWay) commit.resolve();
    assert.equal((await Promise.all(taking)).flat().length, (3 * 5 + 5 * 3) * 2_000);
  });

  it('is not read while the caller takes no results', async () => {
    let read = 0;
    async function* input() {
      for (; read < 20; read++) yield Buffer.from(lines(2_000));
    }
    const results = postNdjson(input(), posting);
    const [first] = (await results.next()).value!;
    assert.equal(first!.number, 1);
    await wait(30);
    assert.ok(read <= 7, `${read} chunks were read`);
    await results.return();
  });

  it('of which the input fails has the results that are known, and then the error', async () => {
    const failure = new Error('the connection is lost');
    const results: LineResult[] = [];
    async function* input() {
      yield Buffer.from(`${lines(2_000)}${line('dropped')}${line('unfinished').trim()}`);
      throw failure;
    }
    await assert.rejects(take(input(), results), failure);
    assert.deepEqual([results.length, sizes()], [2_000, [2_000]]);
    await wait(30);
    assert.deepEqual(sizes(), [2_000], 'what was not posted then is dropped');
  });

  it('that cannot be committed has the results before, and then the error', async () => {
    const failure = new Error('the store is full');
    const results: LineResult[] = [];
    let posts = 0;
    const failing: Posting = {
      set: SET,
      post: async (events) => {
        posts += 1;
        if (posts === 2) throw failure;
        return events.map(resultOf);
      },
    };
    await assert.rejects(async () => {
      for await (const batch of postNdjson(chunks(lines(6_000)), failing)) results.push(...batch);
    }, failure);
    assert.equal(results.length, 2_000);
  });

  it('is posted and read no further when the caller stops', async () => {
    isHeld = true;
    let closed = false;
    let read = 0;
    const next = Promise.withResolvers<void>();
    async function* input() {
      try {
        yield Buffer.from(lines(2_001));
        await next.promise;
        for (; read < 100; read++) yield Buffer.from(lines(1));
      } finally {
        closed = true;
      }
    }
    const results = postNdjson(input(), posting);
    const first = results.next();
    await until('the first batch, and the rest', async () => posted.length === 2);
    underWay[0]!.resolve();
    assert.equal((await first).value?.length, 2_000);
    await results.return();
    next.resolve();
    await until('the input is closed', async () => closed);
    await wait(30);
    assert.deepEqual(sizes(), [2_000, 1]);
    assert.equal(read, 0);
  });

  it('that waits for room is read no further when the caller stops', async () => {
    isHeld = true;
    let closed = false;
    async function* input() {
      try {
        for (let read = 0; read < 20; read++) yield Buffer.from(lines(2_000));
      } finally {
        closed = true;
      }
    }
    const results = postNdjson(input(), posting);
    const first = results.next();
    await until('five batches', async () => posted.length === 5);
    underWay[0]!.resolve();
    await first;
    await until('one more', async () => posted.length === 6);
    await results.return();
    await until('the input is closed', async () => closed);
    assert.equal(posted.length, 6);
  });

  it('that fails twice, in its input or in the store, has one error and leaves none unhandled', async () => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listener);
    const held = Promise.withResolvers<void>();
    let posts = 0;
    const failing: Posting = {
      set: SET,
      post: async (events) => {
        posts += 1;
        if (posts > 1) throw new Error('the store is full');
        await held.promise;
        return events.map(resultOf);
      },
    };
    async function* input() {
      yield Buffer.from(lines(4_000));
      throw new Error('the connection is lost');
    }
    const results = postNdjson(input(), failing);
    const first = results.next();
    await until('both batches', async () => posts === 2);
    await wait(10);
    held.resolve();
    assert.equal((await first).value?.length, 2_000);
    await assert.rejects(results.next(), /the store is full/);
    await wait(10);
    process.off('unhandledRejection', listener);
    assert.deepEqual(unhandled, []);
  });

  describe('by the clock', () => {
    let now: number;
    let timers: Set<Timer>;
    let input: PassThrough;
    let results: AsyncGenerator<readonly LineResult[]>;
    let taking: Promise<readonly LineResult[]>;

    class Timer {
      readonly run: () => void;
      readonly delay: number;
      due = 0;

      constructor(run: () => void, delay: number) {
        this.run = run;
        this.delay = delay;
        this.refresh();
      }

      refresh(): void {
        this.due = now + this.delay;
        timers.add(this);
      }
    }

    beforeEach(() => {
      now = 1_000;
      timers = new Set();
      mock.method(performance, 'now', () => now);
      mock.method(globalThis, 'setTimeout', (run: () => void, delay: number) => new Timer(run, delay));
      mock.method(globalThis, 'clearTimeout', (timer: Timer) => timers.delete(timer));
      input = new PassThrough();
      results = postNdjson(input, posting);
    });
    afterEach(() => mock.restoreAll());

    /** Lets everything happen that waits for no time. */
    async function settle(): Promise<void> {
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    }
    async function pass(milliseconds: number): Promise<void> {
      for (const end = now + milliseconds; now < end; ) {
        now += 1;
        for (const timer of [...timers].filter(({ due }) => due <= now)) {
          timers.delete(timer);
          timer.run();
        }
      }
      await settle();
    }
    async function send(text: string): Promise<void> {
      input.write(text);
      await settle();
    }
    function takeAll(): void {
      taking = (async () => {
        const all: LineResult[] = [];
        for await (const batch of results) all.push(...batch);
        return all;
      })();
    }
    async function end(): Promise<void> {
      input.end();
      await taking;
    }

    it('is posted when nothing came for ten milliseconds, and not before', async () => {
      takeAll();
      await send(line('a'));
      await pass(8);
      await send(line('b'));
      await pass(2);
      assert.deepEqual(posted, []);
      await pass(10);
      assert.deepEqual(posted, [[1, 2]]);
      await end();
    });

    it('is posted when its timer is a millisecond early', async () => {
      takeAll();
      await send(line('a'));
      await pass(1);
      await send(line('b'));
      await pass(9);
      assert.deepEqual(posted, [[1, 2]]);
      await end();
    });

    it('is posted fifty milliseconds after the first event that was not, though others come', async () => {
      takeAll();
      await send(line('first'));
      await pass(10);
      assert.deepEqual(posted, [[1]]);
      await pass(200);
      await send(line('a'));
      for (let at = 0; at < 9; at++) {
        await pass(5);
        await send(line(`${at}`));
      }
      assert.deepEqual(posted, [[1]]);
      await pass(5);
      assert.deepEqual(posted.slice(1), [[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]);
      await end();
    });

    it('is not posted while too much is under way', async () => {
      isHeld = true;
      takeAll();
      for (let batch = 0; batch < 5; batch++) await send(lines(2_000));
      await send(line('a'));
      await pass(100);
      assert.equal(posted.length, 5);
      underWay[0]!.resolve();
      await settle();
      await pass(10);
      assert.deepEqual(posted[5], [10_001]);
      for (const commit of underWay) commit.resolve();
      isHeld = false;
      await end();
    });

    it('drops what is not posted when its input fails', async () => {
      isHeld = true;
      takeAll();
      await send(lines(2_001));
      input.destroy(new Error('the connection is lost'));
      await settle();
      await pass(100);
      assert.deepEqual(sizes(), [2_000]);
      underWay[0]!.resolve();
      await assert.rejects(taking, /the connection is lost/);
    });

    it('drops what is not posted when the caller stops', async () => {
      const first = results.next();
      await send(lines(2_001));
      await first;
      await results.return(undefined);
      await pass(100);
      input.end();
      await settle();
      assert.deepEqual(sizes(), [2_000]);
    });
  });
});
