import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { keptVersions } from '../support/kept-versions.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { Workplace } from '../support/workplace.ts';

/** More than one pack has. */
const FILES = 80;

describeOnEachStore('a scan that keeps versions', (store, itOnce) => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(store);
    await mkdir(join(place.folder, 'files'));
    await writeFiles(1);
  });
  afterEach(() => place?.close());

  async function writeFiles(version: number, isWritten = (_at: number) => true): Promise<void> {
    for (let at = 0; at < FILES; at++) {
      if (!isWritten(at)) continue;
      const file = join(place.folder, 'files', `${at}`);
      await writeFile(file, `${at} in version ${version}`);
      await utimes(file, LONG_AGO + version, LONG_AGO + version);
    }
  }

  async function done(...args: readonly string[]) {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json']);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  }

  /** Every change that is in the log has its bytes. Returns how many there are. */
  async function requireBytes(artifacts = join(place.folder, 'data/artifacts')): Promise<number> {
    const { stdout } = await place.run(['changes', 'list', 'maps', '--json']);
    const digests = [...stdout.matchAll(/"hash":"sha-256:([0-9a-f]{64})"/g)].map(([, digest]) => digest!);
    const found = await stored(artifacts);
    for (const digest of digests) assert.ok(found.has(digest), digest);
    return digests.length;
  }

  /** The digests of the versions that are stored. */
  async function stored(folder = join(place.folder, 'data/artifacts')): Promise<ReadonlySet<string>> {
    const artifacts = openArtifacts({ kind: 'folder', folder });
    try {
      return new Set((await keptVersions(artifacts)).map(({ digest }) => digest));
    } finally {
      await artifacts.close();
    }
  }

  for (const failpoint of [...FAILPOINTS.version, 'sync.posted'] as const) {
    // While bytes are stored, nothing is posted yet.
    const test = failpoint === 'sync.posted' ? it : itOnce;
    test(`and is killed at ${failpoint} loses no bytes of a change; the next scan goes on`, async () => {
      await done('sets', 'add', 'maps', '--root', 'files', '--keep-versions');
      await done('scan', 'maps');
      await writeFiles(2);
      const killed = await place.run(['scan', 'maps'], { env: { TIDEMARK_FAILPOINT: `${failpoint}:kill` } });
      assert.equal(killed.exitCode, null);
      assert.equal(await requireBytes(), failpoint === 'sync.posted' ? 2 * FILES : FILES);
      const { updated } = await done('scan', 'maps');
      assert.equal(updated, failpoint === 'sync.posted' ? 0 : FILES);
      assert.equal(await requireBytes(), 2 * FILES);
    });
  }

  for (const failpoint of FAILPOINTS.prune) {
    // Once: a process whose clock is months ahead cannot use Elasticsearch.
    itOnce(
      `and whose versions are pruned lists none that is removed, killed at ${failpoint}; the next prune goes on`,
      async () => {
        await done('sets', 'add', 'maps', '--root', 'files', '--keep-versions');
        await done('scan', 'maps');
        // Each pack has versions that go, and versions that stay.
        await writeFiles(2, (at) => at % 2 === 0);
        await done('scan', 'maps');
        const all = FILES * 1.5;
        const later = new SettableClock(place.folder, 100 * 24 * 60 * 60).environment;
        const prune = (env = {}) => {
          const args = ['versions', 'prune', 'maps', '--older-than', '90d', '--json'];
          return place.runProcess(args, { env: { ...later, ...env } });
        };
        const killed = await prune({ TIDEMARK_FAILPOINT: `${failpoint}:kill` });
        assert.equal(killed.exitCode, null);
        const listed = await place.run(['versions', 'list', 'maps', '--json']);
        assert.equal(listed.stdout.trim().split('\n').length, FILES);
        // Others may be removed before the signal arrives, even all of them.
        const left = (await stored()).size;
        assert.ok(failpoint === 'prune.removed' ? left >= FILES && left < all : left === all, `${left}`);
        const { exitCode, stdout, stderr } = await prune();
        assert.equal(exitCode, 0, stderr);
        assert.equal(JSON.parse(stdout).versions, left - FILES);
        assert.equal((await stored()).size, FILES);
        assert.equal((await place.run(['versions', 'list', 'maps', '--json'])).stdout, listed.stdout);
      },
    );
  }

  // No store has a part in this.
  if (store === SQLITE)
    itOnSmallDisk(
      'says that the disk of the artifacts is full, and records no change without its bytes',
      2,
      async (disk) => {
        const artifacts = join(disk.folder, 'artifacts');
        const env = { TIDEMARK_ARTIFACTS: `file:${artifacts}` };
        await place.run(['sets', 'add', 'maps', '--root', 'files', '--keep-versions'], { env });
        assert.equal((await place.run(['scan', 'maps'], { env })).exitCode, 0);
        await writeFiles(2);
        await disk.fill();
        const { exitCode, stderr } = await place.run(['scan', 'maps'], { env });
        assert.equal(exitCode, 3, stderr);
        assert.match(stderr, /the artifact store .* cannot be written: .*the disk is full/);
        assert.equal(await requireBytes(artifacts), FILES);
        await disk.empty();
        assert.equal((await place.run(['scan', 'maps'], { env })).exitCode, 0);
        assert.equal(await requireBytes(artifacts), 2 * FILES);
      },
    );
});
