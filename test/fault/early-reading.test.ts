import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { Catalogue, catalogueFile, entriesFrom } from '../support/marc-catalogue.ts';
import { FORM_HEADERS, file, formOf } from '../support/multipart.ts';
import { SlowRequest } from '../support/slow-request.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

/** More than are applied at once. */
const RECORDS = 2_100;
const entries = entriesFrom(0, RECORDS);
const FORM = formOf([
  file(
    'new.mrc',
    Buffer.concat([...catalogueFile({ catalogue: new Catalogue({ seed: 1 }), format: 'marc21', entries })]),
  ),
]);

describe('an upload whose server is killed while it is read early', () => {
  let place: Workplace;
  let port: number;

  beforeEach(async () => {
    port = await findFreePort();
    place = await Workplace.make(SQLITE);
    for (const args of [
      ['organizations', 'add', 'lane'],
      ['streams', 'add', 'lane', 'main'],
    ]) {
      const { exitCode, stderr } = await place.run(args);
      assert.equal(exitCode, 0, stderr);
    }
  });
  afterEach(() => place.close());

  const names = async (folder: string): Promise<readonly string[]> => {
    const path = join(place.folder, 'data/artifacts', folder);
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };

  /** Starts a server: the real program where a signal or a failpoint ends it, or else in this process. */
  async function serve(failpoint?: string) {
    const args = ['serve', '--no-sources', '--port', `${port}`, '--log-level', 'error'];
    const env = { TIDEMARK_JOB_LEASE: '3s' };
    const serving =
      failpoint === undefined
        ? place.start(args, { env })
        : place.startProcess(args, { env: { ...env, TIDEMARK_FAILPOINT: failpoint } });
    await serving.says(/Serving \d+ sets/);
    return { serving, uploads: `http://127.0.0.1:${port}/api/organizations/lane/uploads` };
  }

  /** Sends the file, the second half of it when the first one is being read. */
  async function beginUpload(uploads: string): Promise<SlowRequest> {
    const request = new SlowRequest(uploads, 'POST', { ...FORM_HEADERS, 'Content-Length': FORM.length });
    await request.send(FORM.subarray(0, FORM.length / 2));
    await until('it is being read', async () => (await names('.unfinished')).length > 1);
    return request;
  }

  async function upload(uploads: string): Promise<number> {
    const request = await beginUpload(uploads);
    await request.send(FORM.subarray(FORM.length / 2));
    const { status, text } = await request.end();
    assert.equal(status, 201, text);
    return JSON.parse(text).number;
  }

  /** Each record is published once, and of what was read one artifact counts. */
  async function isProcessed(uploads: string, number: number): Promise<void> {
    const { body } = await until('it is processed', async () => {
      const answer = await askJson(`${uploads}/main/${number}`);
      return answer.body.status === 'processed' && answer;
    });
    const { at: _, created, unchanged, ...others } = body.applied;
    // What was committed before it was killed is unchanged.
    assert.equal(created + unchanged, RECORDS);
    assert.deepEqual(others, { updated: 0, deleted: 0, unknown: 0, superseded: 0, replaced: 0 });
    const { body: sets } = await askJson(uploads.replace(/organizations.*/, 'sets/lane--main'));
    assert.equal(sets.resources, RECORDS);
  }

  it('is not known, and what was read of it is not used', async () => {
    const { serving, uploads } = await serve('');
    await beginUpload(uploads);
    serving.signal('SIGKILL');
    await serving.exit();
    const again = await serve();
    assert.deepEqual((await askJson(again.uploads)).body.uploads, []);
    await isProcessed(again.uploads, await upload(again.uploads));
    assert.equal((await names('_streams')).length, 1);
    assert.deepEqual(await names('.unfinished'), []);
  });

  for (const failpoint of ['upload.recorded', 'upload.read', 'upload.applying', 'upload.posted']) {
    it(`is published once when that was at ${failpoint}`, async () => {
      const { serving, uploads } = await serve(`${failpoint}:kill`);
      const sent = upload(uploads).catch(() => {});
      assert.equal(await serving.exit(), null);
      await sent;
      const again = await serve();
      await isProcessed(again.uploads, 1);
      // What a killed process has read and not recorded is removed after a week.
      assert.ok((await names('_streams')).length <= 2);
    });
  }
});
