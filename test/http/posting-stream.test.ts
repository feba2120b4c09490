import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { lastLineSchema, postedTotalsSchema } from '../../src/api/posting-view.ts';
import { ask, askJson, JSON_BODY, NDJSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const line = (value: string, fields: object = {}): string =>
  JSON.stringify({ location: { value, type: 'rel_path' }, change: 'created', ...fields });

describeOnEachStore('Posting changes as a stream', (store, itOnce) => {
  let shared: StartedApp;
  let started: StartedApp;
  let sets = 0;
  let set: string;
  let changesUrl: string;
  before(async () => {
    shared = await startApp(store);
  });
  // One source for all tests that leave it as it is, and a set for each.
  beforeEach(() => use(shared));
  after(closeApps);

  async function use(source: StartedApp): Promise<void> {
    started = source;
    sets += 1;
    const slug = `papers-${sets}`;
    await started.app.sets.add({ slug, urlPrefix: 'https://data.example.org/papers/' });
    set = `${started.url}/api/sets/${slug}`;
    changesUrl = `${set}/changes`;
  }

  const start = async (settings: { idleTimeoutMs?: number } = {}) => use(await startApp(store, settings));

  async function post(body: string | Buffer, headers: Record<string, string> = NDJSON_BODY) {
    const { status, text } = await ask(changesUrl, { method: 'POST', headers, body });
    assert.equal(status, 200, text);
    return postedTotalsSchema.parse(JSON.parse(text));
  }

  function open(query = ''): ClientRequest {
    return request(changesUrl + query, { method: 'POST', headers: NDJSON_BODY, agent: false });
  }

  async function resources(): Promise<readonly string[]> {
    const { body } = await askJson(`${set}/resources`);
    return body.resources.map(({ key }: { key: string }) => key);
  }

  it('answers with totals, and with what was not applied by its line', async () => {
    const { notApplied, ...totals } = await post(
      ['', line('a'), line('b', { length: -1 }), '  ', line('a'), '{', line('c')].join('\r\n'),
    );
    assert.deepEqual(totals, { complete: true, applied: 2, unchanged: 1, rejected: 2 });
    assert.deepEqual(
      notApplied.map((result) => [result.number, 'code' in result ? result.code : 'reason' in result && result.reason]),
      [
        [3, 'negative-length'],
        [6, 'not-json'],
        [5, 'same-state'],
      ],
    );
    assert.deepEqual(await resources(), ['/a', '/c']);
  });

  itOnce(
    'lists events that were rejected before those that were unchanged, and says how many it does not list',
    async () => {
      await post(line('a'));
      const { notApplied, notListed } = await post([...Array(1_200).fill(line('a')), '{'].join('\n'));
      assert.equal(notApplied.length, 1_000);
      assert.deepEqual([notApplied[0]?.number, notApplied[0]?.status], [1_201, 'rejected']);
      assert.deepEqual(notListed, { rejected: 0, unchanged: 201 });
    },
  );

  itOnce('lists 1,000 of the events that were rejected', async () => {
    const { notApplied, rejected, notListed } = await post(Array(1_500).fill('{}').join('\n'));
    assert.equal(rejected, 1_500);
    assert.deepEqual([notApplied.length, notApplied.at(-1)?.number], [1_000, 1_000]);
    assert.deepEqual(notListed, { rejected: 500, unchanged: 0 });
  });

  itOnce('rejects a value that is nested deeply by itself, in a stream and in a JSON body', async () => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const field of ['length', 'change', 'mime', 'location', 'ln', 'hash', 'timestamp', 'other']) {
      const deep = line('deep', { [field]: 0 }).replace(
        new RegExp(`"${field}":("created"|\\{[^}]*\\}|0)`),
        `"${field}":${nested}`,
      );
      const around = [line(`${field}-1`), deep, line(`${field}-2`)];
      const streamed = await post(around.join('\n'));
      const rejected = field === 'timestamp' ? 0 : 1;
      assert.deepEqual([streamed.applied, streamed.rejected], [3 - rejected, rejected], field);
      const body = `{"changes":[${around}]}`;
      const { status, text } = await ask(changesUrl, { method: 'POST', headers: JSON_BODY, body });
      assert.deepEqual([status, JSON.parse(text).rejected], [200, rejected], field);
    }
  });

  itOnce('takes every name of the format, with a mark at the beginning, and gzip', async () => {
    for (const type of ['application/x-ndjson', 'application/ndjson; charset=utf-8', 'application/jsonl']) {
      assert.equal((await post(`\ufeff${line(type.slice(12, 14))}\n`, { 'Content-Type': type })).applied, 1);
    }
    const packed = await post(gzipSync(`${line('x')}\n${line('y')}`), { ...NDJSON_BODY, 'Content-Encoding': 'gzip' });
    assert.equal(packed.applied, 2);
  });

  itOnce('rejects a line over 1 MB and a line that is not UTF-8, and none of their neighbours', async () => {
    const long = line('long', { mime: 'x'.repeat(1_048_576) });
    const { notApplied, applied } = await post(
      Buffer.concat([
        Buffer.from(`${line('a')}\n${long}\n${line('b')}\n`),
        Buffer.from([0x22, 0xff, 0x22, 0x0a]),
        Buffer.from(line('c')),
      ]),
    );
    assert.equal(applied, 3);
    assert.deepEqual(
      notApplied.map((result) => [result.number, 'code' in result && result.code]),
      [
        [2, 'line-too-long'],
        [4, 'not-utf-8'],
      ],
    );
  });

  itOnce('answers each event of a client that waits before the next one is sent', async () => {
    const asking = open('?results=all');
    asking.write(`${line('a')}\n`);
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const lines = createInterface(response)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? '');

    assert.deepEqual(response.headers['content-type'], 'application/x-ndjson');
    const { datetime, ...first } = await next();
    assert.deepEqual(first, { number: 1, status: 'applied', change: 'created' });
    assert.match(datetime, /Z$/);
    asking.write(`${line('../a')}\n`);
    assert.equal((await next()).code, 'outside-root');
    asking.end(line('a'));
    assert.deepEqual(await next(), { number: 3, status: 'unchanged', reason: 'same-state' });
    const last = lastLineSchema.parse(await next());
    assert.deepEqual(last, { complete: true, applied: 1, unchanged: 1, rejected: 1 });
  });

  itOnce('keeps what it acknowledged of a body that is cut off, and nothing of the rest', async () => {
    const asking = open('?results=all');
    asking.on('error', () => {});
    // The rest comes together with them: when they are acknowledged, it was read.
    asking.write(`${line('a')}\n${line('b')}\n${line('c')}`);
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    let received = '';
    response.setEncoding('utf8').on('error', () => {});
    response.on('data', (text: string) => {
      received += text;
    });
    await until('two lines', async () => received.split('\n').length > 2);
    asking.destroy();
    await until('nothing but the question itself is under way', async () => {
      return (await askJson(`${started.url}/api/status`)).body.requests.inFlight === 1;
    });
    await setTimeout(100);
    assert.deepEqual(await resources(), ['/a', '/b']);
  });

  itOnce('limits how long a client may be silent, not how long it takes', async () => {
    const idleTimeoutMs = 1_000;
    await start({ idleTimeoutMs });
    const send = async (folder: number) => {
      const asking = open();
      asking.on('error', () => {});
      const answered = once(asking, 'response') as Promise<[IncomingMessage]>;
      let longestSilence = 0;
      for (let at = 0; at < 5; at++) {
        const began = performance.now();
        asking.write(`${line(`${folder}/paper-${at}`)}\n`);
        await setTimeout(idleTimeoutMs / 4);
        longestSilence = Math.max(longestSilence, performance.now() - began);
      }
      const [response] = await answered;
      const { error } = JSON.parse((await response.toArray()).join(''));
      asking.destroy();
      return { longestSilence, status: response.statusCode, error };
    };
    let received = await send(0);
    // A busy machine may keep a client from sending in time, which proves nothing about the server.
    for (let again = 1; received.longestSilence > idleTimeoutMs / 2; again++) received = await send(again);
    assert.deepEqual([received.status, received.error.code], [408, 'idle']);
    assert.deepEqual([received.error.complete, received.error.applied], [false, 5]);
  });

  itOnce('ends with a last line that says why not all was read', async () => {
    await start({ idleTimeoutMs: 300 });
    const asking = open('?results=all');
    asking.write(`${line('a')}\n`);
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const lines = (await response.toArray()).join('').trimEnd().split('\n');
    asking.destroy();
    const last = lastLineSchema.parse(JSON.parse(lines.at(-1)!));
    assert.ok(!last.complete && last.error.code === 'idle' && last.applied === 1);
  });

  itOnce('answers early when the server stops', async () => {
    await start();
    const asking = open();
    asking.write(`${line('a')}\n`);
    await once(asking, 'socket');
    while ((await resources()).length === 0) await setTimeout(10);
    const answered = once(asking, 'response');
    const closed = started.server.close();
    const [response] = (await answered) as [IncomingMessage];
    const { error } = JSON.parse((await response.toArray()).join(''));
    asking.destroy();
    await closed;
    assert.deepEqual([response.statusCode, error.code, error.applied], [503, 'stopping', 1]);
  });

  itOnce('answers 503, with what is in, when the store fails before anything was sent', async () => {
    await start();
    const asking = open();
    asking.write(`${line('a')}\n`);
    await once(asking, 'socket');
    while ((await resources()).length === 0) await setTimeout(10);
    await started.app.close();
    asking.end(`${line('b')}\n`);
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const { error } = JSON.parse((await response.toArray()).join(''));
    assert.deepEqual([response.statusCode, error.code, error.applied], [503, 'unavailable', 1]);
    assert.ok(response.headers['retry-after']);
  });

  itOnce('ends with a last line that says so when the store fails', async () => {
    await start();
    const asking = open('?results=all');
    asking.write(`${line('a')}\n`);
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    await started.app.close();
    asking.end(`${line('b')}\n`);
    const lines = (await response.toArray()).join('').trimEnd().split('\n');
    const last = lastLineSchema.parse(JSON.parse(lines.at(-1)!));
    assert.ok(!last.complete && last.error.code === 'unavailable' && last.applied === 1);
  });

  itOnce('refuses results of an unknown kind', async () => {
    const { status, text } = await ask(`${changesUrl}?results=none`, {
      method: 'POST',
      headers: NDJSON_BODY,
      body: '',
    });
    assert.deepEqual([status, JSON.parse(text).error.field], [400, 'results']);
  });

  itOnce('takes a long stream, and again without a change', async () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => line(`${at}`, { source: 's', position: at }));
    const body = lines.join('\n');
    assert.deepEqual(await post(body), { complete: true, applied: 30_000, unchanged: 0, rejected: 0, notApplied: [] });
    assert.equal((await post(body)).unchanged, 30_000);
  });
});
