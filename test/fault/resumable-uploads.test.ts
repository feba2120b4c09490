import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { begunTus, sendTus, tusStatus } from '../support/tus.ts';
import { Workplace } from '../support/workplace.ts';

const BYTES = randomBytes(150_000);
const HALF = 70_000;
/** The files of the upload. */
const FILES = [BYTES.subarray(0, 100_000), BYTES.subarray(100_000)];
const METADATA = { files: JSON.stringify(FILES.map(({ length }, at) => ({ name: `${at}.mrc`, length }))) };

/** Steps that change files alone. */
const WITHOUT_STORE: readonly string[] = ['resumable.stored', 'resumable.whole', 'resumable.assembled'];

describeOnEachStore('a resumable upload whose server is killed', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
    await done('organizations', 'add', 'lane');
    await done('streams', 'add', 'lane', 'main');
  });
  afterEach(() => place.close());

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json']);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };
  const serve = ['serve', '--no-jobs', '--no-sources', '--log-level', 'error', '--port'];
  const names = async (folder: string) => {
    const entries = await readdir(join(place.folder, 'data/artifacts', folder), {
      recursive: true,
      withFileTypes: true,
    });
    return entries.filter((entry) => entry.isFile()).length;
  };

  /** Sends what is missing, as often as it takes. */
  async function sendRest(url: string): Promise<string | undefined> {
    const { offset, upload } = await tusStatus(url);
    if (offset === BYTES.length) return upload;
    return (await sendTus(url, offset, BYTES.subarray(offset))).headers['tidemark-upload'] as string | undefined;
  }

  for (const failpoint of [...FAILPOINTS.resumable, 'upload.recorded'] as const) {
    const test = WITHOUT_STORE.includes(failpoint) ? itOnce : it;
    test(`at ${failpoint} becomes one upload, whole, when its client goes on`, async () => {
      const port = await findFreePort();
      const all = `http://127.0.0.1:${port}/api/organizations/lane/resumable-uploads`;
      const killed = place.startProcess([...serve, `${port}`], { env: { TIDEMARK_FAILPOINT: `${failpoint}:kill` } });
      await killed.says(/Serving 6 sets/);
      let url = '';
      const send = async () => {
        url = await begunTus(all, BYTES.length, METADATA);
        await sendTus(url, 0, BYTES.subarray(0, HALF));
        await sendTus(url, HALF, BYTES.subarray(HALF));
      };
      await send().then(
        () => assert.fail('the server was not killed'),
        () => {},
      );
      assert.equal(await killed.exit(), null);

      const serving = place.start([...serve, `${port}`]);
      await serving.says(/Serving 6 sets/);
      // What was begun without an answer is forgotten, and removed after a day.
      if (url === '') url = await begunTus(all, BYTES.length, METADATA);
      if (failpoint !== 'resumable.begun') assert.ok((await tusStatus(url)).offset >= HALF, 'what was stored is there');
      assert.equal(await sendRest(url), 'main/1');
      assert.deepEqual(await tusStatus(url), { offset: BYTES.length, upload: 'main/1' });
      const { body } = await askJson(`http://127.0.0.1:${port}/api/organizations/lane/uploads`);
      assert.deepEqual(
        body.uploads.map(({ number, files }: { number: number; files: { sha256: string }[] }) => [
          number,
          ...files.map(({ sha256 }) => sha256),
        ]),
        [[1, ...FILES.map((bytes) => hash('sha256', bytes))]],
      );
      // Of a killed server, copies that no upload names may be left, for the job that removes abandoned files.
      assert.ok((await names('_uploads')) <= 4);
      // Parts are left when it was killed just before they would have been removed; they are removed with the rest.
      if (failpoint !== 'resumable.ended') assert.equal(await names('_parts'), 0);
      serving.signal('SIGTERM');
      await serving.exit();
    });
  }
});
