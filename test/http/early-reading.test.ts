import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ReadUpload } from '../../src/records/arrivals/upload-state.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { Catalogue, catalogueFile, entriesFrom } from '../support/marc-catalogue.ts';
import { FORM_HEADERS, field, file, formOf } from '../support/multipart.ts';
import { SlowRequest } from '../support/slow-request.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { begunTus, sendTus, TUS, tusStatus } from '../support/tus.ts';
import { until } from '../support/until.ts';
import { tar, zip } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

// Files of 3 MB: one that is being read when its first half has arrived. They have few records, which are large.
const CATALOGUE = new Catalogue({ seed: 7, bytes: 10_000 });
/** A record and the end of the file are damaged. */
const MARC21 = damaged(catalogueOf('marc21', 300));
const MARCXML = catalogueOf('marcxml', 150);
const GZIP = gzipSync(catalogueOf('marc21', 800), { level: 1 });
const IDS = Buffer.from(Array.from({ length: 30_000 }, (_, at) => `gone-${at}-${'x'.repeat(90)}`).join('\n'));
const EARLY = /while they arrived$/;

function catalogueOf(format: 'marc21' | 'marcxml', records: number): Buffer {
  return Buffer.concat([...catalogueFile({ catalogue: CATALOGUE, format, entries: entriesFrom(0, records) })]);
}

function damaged(bytes: Buffer): Buffer {
  bytes[bytes.indexOf('Z', 2_000_000)] = 0xff;
  return bytes.subarray(0, -100);
}

describeOnEachStore('An upload', (store, itOnce) => {
  let started: StartedApp;
  let stream: ProcessedStream;
  let servers: FileServer[] = [];
  const ofJobs = new Map<Buffer, Published>();

  beforeEach(async () => {
    started = await startApp(store, { uploadNetworks: ['127.0.0.1'] });
    stream = await ProcessedStream.make(started.app);
  });
  afterEach(async () => {
    for (const server of servers) await server.close();
    servers = [];
    await closeApps();
  });

  const uploads = () => `${started.url}/api/organizations/lane/uploads`;
  const unfinished = async () => readdir(join(started.folder, 'artifacts/.unfinished')).catch(() => []);
  const readings = async () => (await collect(started.app.artifacts.list('_streams/'))).flat().map(({ key }) => key);
  /** Its records are written while the file itself is, and nothing of it is known. */
  const isBeingRead = (besides = 1) =>
    until('it is being read', async () => (await unfinished()).length > besides && (await readings()).length === 0);

  /** Sends a form, the second half of it when the first one is being read. */
  async function slowly(parts: Parameters<typeof formOf>[0], meanwhile: () => Promise<unknown> = isBeingRead) {
    const form = formOf(parts);
    const request = new SlowRequest(uploads(), 'POST', { ...FORM_HEADERS, 'Content-Length': form.length });
    await request.send(form.subarray(0, form.length / 2));
    await meanwhile();
    await request.send(form.subarray(form.length / 2));
    const { status, text } = await request.end();
    assert.equal(status, 201, text);
    return JSON.parse(text).number as number;
  }

  /** Has it processed, and returns the last line of the log of its job. */
  async function process(number: number, to = 'main'): Promise<string> {
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    const { signal } = new AbortController();
    const upload = await started.app.records.uploads.get('lane', to, number);
    await started.app.records.uploadProcessor.process(upload, { signal, isLast: false, report() {}, log });
    return lines.at(-1)!;
  }

  interface Published {
    readonly read: object;
    readonly errata: string;
    readonly records: Readonly<Record<string, string>>;
  }

  async function published({ app }: StartedApp, of: ProcessedStream, number: number): Promise<Published> {
    const state = await app.records.uploads.stateOf(await app.records.uploads.get('lane', 'main', number));
    // Each Avro file has a marker of its own.
    const { at: _, records: __, recordsSha256: ___, errata: key, ...read } = state!.read as ReadUpload;
    const errata = key === undefined ? '' : (await collect((await app.artifacts.get(key)).body)).join('');
    return { read, errata, records: await of.records() };
  }

  /** What a server makes of the same file that reads nothing before a job does; it does so once for each file. */
  async function ofJob(name: string, bytes: Buffer): Promise<Published> {
    const known = ofJobs.get(bytes) ?? (await readByJob(name, bytes));
    ofJobs.set(bytes, known);
    return known;
  }

  async function readByJob(name: string, bytes: Buffer): Promise<Published> {
    const other = await startApp(store, { runsJobs: false, concurrency: 1 });
    const same = await ProcessedStream.make(other.app);
    const number = await same.upload({ [name]: bytes });
    await same.process(number);
    return published(other, same, number);
  }

  /** Only what the state names is stored of what was read. */
  async function nothingIsLeft(): Promise<void> {
    const { catalog } = started.app;
    const named = (await catalog.latest<{ read?: ReadUpload }>('upload-state', 'lane/')).flatMap(({ body }) =>
      [body.read?.records, body.read?.errata].filter((key) => key !== undefined),
    );
    await until('what is not used is removed', async () => (await readings()).length === named.length);
    assert.deepEqual(await readings(), named.sort());
    await until('nothing is being written', async () => (await unfinished()).length === 0);
  }

  for (const [what, name, bytes, define = itOnce] of [
    ['MARC21', 'new.mrc', MARC21, it],
    ['MARC21 in gzip', 'new.mrc.gz', GZIP],
    ['MARC21 in a gzip that breaks off', 'new.mrc.gz', GZIP.subarray(0, -200_000)],
    ['MARCXML', 'new.xml', MARCXML],
    ['a list of ids to delete', 'gone.txt', IDS],
  ] as const) {
    define(`of ${what} is read while it arrives, as its job would have read it`, async () => {
      const number = await slowly([file(name, bytes)]);
      assert.match(await process(number), EARLY);
      assert.deepEqual(await published(started, stream, number), await ofJob(name, bytes));
      await nothingIsLeft();
    });
  }

  itOnce('that is resumed is read while it arrives, also across a break', async () => {
    const bytes = MARC21;
    const url = await begunTus(`${started.url}/api/organizations/lane/resumable-uploads`, bytes.length, {
      filename: 'new.mrc',
    });
    await sendTus(url, 0, bytes.subarray(0, 1_500_000));
    await isBeingRead(0);
    const headers = { ...TUS, 'Upload-Offset': 1_500_000, 'Content-Type': 'application/offset+octet-stream' };
    const broken = new SlowRequest(url, 'PATCH', { ...headers, 'Content-Length': bytes.length - 1_500_000 });
    await broken.send(bytes.subarray(1_500_000, 2_500_000));
    broken.breakOff();
    const { offset } = await until('what came is stored', async () => {
      const status = await tusStatus(url);
      return status.offset > 1_500_000 && status;
    });
    const last = await sendTus(url, offset, bytes.subarray(offset));
    assert.equal(last.headers['tidemark-upload'], 'main/1', last.text);
    assert.match(await process(1), EARLY);
    assert.deepEqual(await published(started, stream, 1), await ofJob('new.mrc', bytes));
    await nothingIsLeft();
  });

  itOnce(
    'of which two requests send the same bytes is read while it arrives by the one that is not refused',
    async () => {
      const bytes = MARC21;
      const url = await begunTus(`${started.url}/api/organizations/lane/resumable-uploads`, bytes.length);
      const headers = { ...TUS, 'Upload-Offset': 0, 'Content-Type': 'application/offset+octet-stream' };
      const [first, second] = [1, 2].map(
        () => new SlowRequest(url, 'PATCH', { ...headers, 'Content-Length': 1_500_000 }),
      ) as [SlowRequest, SlowRequest];
      await first.send(bytes.subarray(0, 1_400_000));
      await isBeingRead();
      await second.send(bytes.subarray(0, 1_400_000));
      await until('both are being stored', async () => (await unfinished()).length === 3);
      await first.send(bytes.subarray(1_400_000, 1_500_000));
      assert.equal((await first.end()).status, 204);
      await second.send(bytes.subarray(1_400_000, 1_500_000));
      assert.equal((await second.end()).status, 409);
      const last = await sendTus(url, 1_500_000, bytes.subarray(1_500_000));
      assert.equal(last.headers['tidemark-upload'], 'main/1', last.text);
      assert.match(await process(1), EARLY);
      await nothingIsLeft();
    },
  );

  for (const [how, finish] of [
    ['is complete', (late: SlowRequest, rest: Buffer) => late.send(rest).then(() => late.end())],
    ['breaks off', async (late: SlowRequest) => late.breakOff()],
  ] as const) {
    itOnce(`that is resumed leaves nothing of a request that ${how} after another one has sent all of it`, async () => {
      const bytes = MARC21;
      const begun = () => begunTus(`${started.url}/api/organizations/lane/resumable-uploads`, bytes.length);
      const url = await begun();
      const headers = { ...TUS, 'Upload-Offset': 0, 'Content-Type': 'application/offset+octet-stream' };
      const late = new SlowRequest(url, 'PATCH', { ...headers, 'Content-Length': 1_500_000 });
      await late.send(bytes.subarray(0, 1_400_000));
      await isBeingRead();
      const all = await sendTus(url, 0, bytes);
      assert.equal(all.headers['tidemark-upload'], 'main/1', all.text);
      const parts = async () => (await collect(started.app.artifacts.list('_parts/'))).flat();
      await until('its parts are removed', async () => (await parts()).length === 0);
      const answer = await finish(late, bytes.subarray(1_400_000, 1_500_000));
      if (answer) assert.equal(answer.status, 204, answer.text);
      await nothingIsLeft();
      assert.deepEqual(await parts(), []);
      assert.deepEqual(await tusStatus(url), { offset: bytes.length, upload: 'main/1' });
      await process(1);
      // The reader is free for the next one.
      const next = new SlowRequest(await begun(), 'PATCH', { ...headers, 'Content-Length': bytes.length });
      await next.send(bytes.subarray(0, 1_500_000));
      await until('it is being read', async () => (await unfinished()).length > 1);
      await next.send(bytes.subarray(1_500_000));
      assert.equal((await next.end()).status, 204);
      assert.match(await process(2), EARLY);
    });
  }

  itOnce('by URL is read while it is fetched', async () => {
    const rest = Promise.withResolvers<void>();
    const server = await startFileServer(async (_request, response) => {
      response.writeHead(200, { 'Content-Length': MARC21.length });
      response.write(MARC21.subarray(0, 1_500_000));
      await rest.promise;
      response.end(MARC21.subarray(1_500_000));
    });
    servers.push(server);
    const receiving = await started.app.records.uploads.begin('lane');
    const { number } = await receiving.finish({ url: `${server.url}/new.mrc` });
    const processed = process(number);
    await isBeingRead();
    rest.resolve();
    assert.match(await processed, EARLY);
    assert.deepEqual(await published(started, stream, number), await ofJob('new.mrc', MARC21));
    await nothingIsLeft();
  });

  itOnce('of several files, a tar or a ZIP is read when it is whole', async () => {
    const files = { 'new.mrc': MARC21, 'gone.del': 'rec000000001\n' };
    for (const parts of [
      [file('new.mrc', MARC21), file('gone.del', 'rec000000001\n')],
      [file('new.tar', tar(files))],
      [file('new.tgz', gzipSync(tar(files)))],
      [file('new.zip', zip(files))],
    ]) {
      const before = await readings();
      const number = await slowly(parts, async () => {
        await until('it is being stored', async () => (await unfinished()).length > 0);
      });
      assert.deepEqual(await readings(), before);
      assert.doesNotMatch(await process(number), EARLY);
      const { totals } = (await published(started, stream, number)).read as ReadUpload;
      assert.deepEqual([totals.files, totals.deletions], [2, 1]);
      // The deletion counts first.
      assert.ok('rec000000001' in (await stream.records()));
      await nothingIsLeft();
    }
  });

  itOnce('whose client breaks off leaves nothing of what was read', async () => {
    const form = formOf([file('new.mrc', MARC21)]);
    const request = new SlowRequest(uploads(), 'POST', { ...FORM_HEADERS, 'Content-Length': form.length });
    await request.send(form.subarray(0, form.length / 2));
    await isBeingRead();
    request.breakOff();
    await nothingIsLeft();
    const stored = () => until('it is being stored', async () => (await unfinished()).length > 0);
    await until('the next one is read while it arrives', async () =>
      EARLY.test(await process(await slowly([file('new.mrc', MARC21)], stored))),
    );
  });

  itOnce('is read by its job when its records are normalized otherwise meanwhile', async () => {
    const number = await slowly([file('new.mrc', MARC21)], async () => {
      await isBeingRead();
      await started.app.records.organizations.change('lane', {
        normalization: { kind: 'pod', code: 'CSt', items: [] },
      });
    });
    assert.doesNotMatch(await process(number), EARLY);
    assert.match((await stream.records()).rec000000001!, /POD/);
    await nothingIsLeft();
  });

  itOnce('is read by its job when another upload comes in between', async () => {
    const number = await slowly([file('new.mrc', MARC21)], async () => {
      await isBeingRead();
      await stream.upload({ 'other.mrc': 'x' });
    });
    assert.equal(number, 2);
    assert.doesNotMatch(await process(number), EARLY);
    await nothingIsLeft();
  });

  itOnce(
    'to another stream than the default one is read while it arrives when that is named before the file',
    async () => {
      await started.app.records.organizations.addStream('lane', 'other');
      const named = await slowly([field('stream', 'other'), file('new.mrc', MARC21)]);
      assert.match(await process(named, 'other'), EARLY);
      const late = await slowly([file('new.mrc', MARC21), field('stream', 'other')], async () => {
        await until('it is being read', async () => (await unfinished()).length > 1);
      });
      assert.doesNotMatch(await process(late, 'other'), EARLY);
      await nothingIsLeft();
    },
  );

  itOnce('is read by its job when reading it earlier has failed', async () => {
    const folder = join(started.folder, 'artifacts/_streams');
    const number = await slowly([file('new.mrc', MARC21)], async () => {
      await until('it is being read', async () => (await unfinished()).length > 1);
      await writeFile(folder, 'a file where the folder should be');
    });
    await until('reading it has failed', async () => (await unfinished()).length === 0);
    await rm(folder);
    assert.doesNotMatch(await process(number), EARLY);
    assert.deepEqual(await published(started, stream, number), await ofJob('new.mrc', MARC21));
    await nothingIsLeft();
  });

  itOnce('is read alone: others that arrive at the same time are read by their jobs', async () => {
    const second = { number: 0 };
    const first = await slowly([file('new.mrc', MARC21)], async () => {
      await isBeingRead();
      await started.app.records.organizations.addStream('lane', 'other');
      second.number = await slowly([field('stream', 'other'), file('b.mrc', MARC21)], async () => {
        await until('its first half is stored', async () => (await unfinished()).length === 3);
      });
    });
    assert.equal(second.number, 1);
    assert.match(await process(first), EARLY);
  });

  itOnce('that is small is read by its job', async () => {
    const number = await slowly([file('new.mrc', MARC21.subarray(0, 900_000))], async () => {
      await until('it is being stored', async () => (await unfinished()).length === 1);
    });
    assert.doesNotMatch(await process(number), EARLY);
  });
});
