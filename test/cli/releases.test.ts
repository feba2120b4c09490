import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOKEN } from '../fixtures/store-place.ts';
import type { ExpectedRelease } from '../fixtures/write-more.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { encodeSample, sampleRecords } from '../support/marc-records.ts';
import { placeOlderStore } from '../support/older-store.ts';
import { placeRelease, RELEASES, type Release, rememberFiles, SERVED } from '../support/release-store.ts';
import { sendTus } from '../support/tus.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const ADMINISTRATOR = { authorization: `Bearer ${TOKEN}` };
/** The documents that today's program adds something to, as CHANGELOG.md says: links to repositories of OAI-PMH. */
const CHANGED: Readonly<Record<Release, readonly string[]>> = {
  '93c343c7': ['cdl', 'closed', 'lane', 'lane--main', 'lane--older', 'mapped'].map(
    (set) => `/sets/${set}/capabilitylist.xml`,
  ),
  c01fc594: [],
  '187aaf86': [],
  '5391d3fe': [],
};
/** ETags of files of folders name the inode, which an archive does not keep. */
const OF_FOLDERS = /^\/sets\/(files|kept)\/resources\//;
const ENVIRONMENT = SERVED;

describeOnEachStore('A store of an earlier release, updated', (store) => {
  for (const release of RELEASES[store.kind]) {
    describe(`that of ${release}`, () => {
      let place: Workplace;
      let expected: ExpectedRelease;
      // Once for all its tests, of which the last one changes it.
      before(async () => {
        place = await Workplace.make(store);
        expected = await placeRelease(release, place.store, place.folder);
      });
      after(() => place.close());

      it('is refused until it is migrated, and its own program refuses it from then on', async () => {
        const refused = await place.run(['status']);
        assert.equal(refused.exitCode, 3);
        const [, version] = /schema (?:version )?(\d+), .* "tidemark migrate"/.exec(refused.stderr)!;
        const { from, to } = await done('migrate');
        // A program opens no store with a version above its own.
        assert.deepEqual([from, to > from], [Number(version), true]);
      });

      it('reads no file again (108)', async () => {
        for (const set of ['files', 'kept']) {
          const { files, hashed, created, updated, deleted } = await done(`scan ${set}`);
          assert.deepEqual([files, hashed, created, updated, deleted], [set === 'files' ? 3 : 2, 0, 0, 0, 0], set);
        }
        for (const set of ['cdl', 'mapped']) assert.equal((await done(`scan ${set}`)).compared, false);
        assert.equal((await done('scan files --rehash')).hashed, 3);
      });

      it('serves what did not change with the same bytes and ETags, and its API says the same', () =>
        serving(['--no-jobs'], async (server) => {
          const changed: string[] = [];
          for (const [path, { etag, sha256 }] of Object.entries(expected.documents)) {
            const { bytes, headers } = await ask(server + path, { headers: ADMINISTRATOR });
            const isSame = OF_FOLDERS.test(path) || headers.etag === (etag ?? undefined);
            if (!isSame || hash('sha256', bytes) !== sha256) changed.push(path);
          }
          assert.deepEqual(changed, CHANGED[release]);
          for (const [path, answer] of Object.entries(expected.answers)) {
            const { body } = await askJson(server + path, undefined, ADMINISTRATOR);
            assertHas(body, answer, path);
          }
          // What was begun then is sent to its end, by a token of then.
          const file = Buffer.from(expected.resumableFile, 'base64');
          const authorization = `Bearer ${expected.token}`;
          const { status } = await sendTus(server + expected.resumable, 200, file.subarray(200), { authorization });
          assert.equal(status, 204);
        }));

      it('goes on with uploads, dumps, schedules, scans and postings', async () => {
        await serving([], uploadAndDump);
        writeFileSync(join(place.folder, 'kept/b.txt'), 'another text of b');
        const { hashed, updated } = await done('scan kept');
        assert.deepEqual([hashed, updated], [1, 1]);
        await done('dumps build kept');
        await done('archive');
        for (const set of ['maps', 'kept', 'lane', 'cdl']) {
          assert.equal((await done(`verify ${set} --published`)).equal, true, set);
        }
      });

      async function uploadAndDump(server: string): Promise<void> {
        const get = async (path: string) => (await askJson(server + path, undefined, ADMINISTRATOR)).body;
        writeFileSync(join(place.folder, 'new.mrc'), marcRecord(11));
        await done(`upload lane new.mrc --server ${server}`, { TIDEMARK_TOKEN: expected.token });
        const uploads: readonly ListedUpload[] = await until('the uploads', async () => {
          const { uploads } = await get('/api/organizations/lane/uploads');
          return uploads.every(({ status }: ListedUpload) => /^(processed|failed)$/.test(status)) && uploads;
        });
        // The new one, the one that was incomplete, and the one that waited.
        const last = uploads.slice(0, 3).map(({ status, totals }) => [status, totals!.records]);
        assert.deepEqual(last, Array(3).fill(['processed', 1]));
        // Made by its schedule, perhaps meanwhile, or by this command, each delta follows the one of then.
        const delta = ['streams', 'dump', 'lane', '--delta'];
        await until('a delta', async () => (await place.run(delta, { env: ENVIRONMENT })).exitCode === 0);
        const path = '/api/organizations/lane/dumps';
        const before = (expected.answers[path] as ListedDumps).dumps.length;
        const { dumps }: ListedDumps = await get(path);
        const added = dumps.slice(before).filter(({ kind }) => kind === 'delta');
        assert.equal(
          added.reduce((sum, { totals }) => sum + totals.records, 0),
          3,
        );
      }

      async function done(command: string, env: Readonly<Record<string, string>> = {}) {
        const args = [...command.split(' '), '--json'];
        const { exitCode, stdout, stderr } = await place.run(args, { env: { ...ENVIRONMENT, ...env } });
        assert.equal(exitCode, 0, `${command}: ${stdout}${stderr}`);
        return JSON.parse(stdout);
      }

      async function serving(options: readonly string[], use: (server: string) => Promise<void>): Promise<void> {
        const args = ['serve', '--port', '0', '--json', '--log-level', 'error', ...options];
        const server = place.start(args, { env: ENVIRONMENT });
        const [, port] = await server.says(/"port":(\d+)/);
        try {
          await use(`http://127.0.0.1:${port}`);
        } finally {
          await server.kill();
        }
      }
    });
  }
});

interface ListedUpload {
  readonly status: string;
  readonly totals?: { readonly records: number };
}

interface ListedDumps {
  readonly dumps: readonly { readonly kind: string; readonly totals: { readonly records: number } }[];
}

function marcRecord(seed: number): Buffer {
  const [record] = sampleRecords({ seed, count: 1, deleted: 0 });
  return Buffer.from(encodeSample(record!));
}

describe('The data folder of 362106f, updated', () => {
  let place: Workplace;
  afterEach(() => place.close());

  it('reads no file again (108)', async () => {
    place = await Workplace.make(SQLITE);
    await placeOlderStore('362106f', place.store, place.folder);
    rememberFiles(place.folder, {});
    await place.run(['migrate']);
    const { stdout } = await place.run(['scan', 'files', '--json']);
    const { files, hashed } = JSON.parse(stdout);
    assert.deepEqual([files, hashed], [3, 0]);
  });
});

/** An answer may have gained fields, and lost none. */
function assertHas(found: unknown, then: unknown, place: string): void {
  if (typeof then !== 'object' || then === null) {
    assert.deepEqual(found, then, place);
    return;
  }
  if (Array.isArray(then)) assert.equal((found as readonly unknown[]).length, then.length, place);
  for (const [name, value] of Object.entries(then)) {
    assertHas((found as Record<string, unknown> | undefined)?.[name], value, `${place} ${name}`);
  }
}
