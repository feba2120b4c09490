import assert from 'node:assert/strict';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type { SqliteLocation } from '../../src/stores/locations.ts';
import { ask, JSON_BODY } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeFaultSources, FaultSource, SLUG } from '../support/fault-source.ts';

const LIMITS = { pageEntries: 100, windowChanges: 100 };
const EVENTS = 20;
const POSTS = 4;

describe('the write-ahead log of a store whose server was killed', () => {
  afterEach(closeFaultSources);

  /** Returns the sizes of the log after each post. */
  async function killedAfterPosts() {
    const source = await FaultSource.make(SQLITE, LIMITS);
    const log = `${(source.store.location as SqliteLocation).file}-wal`;
    const { url, process } = await source.serve();
    const sizes: number[] = [];
    for (let post = 0; post < POSTS; post++) {
      const changes = Array.from({ length: EVENTS }, (_, at) => ({
        location: { type: 'rel_path', value: `${post}/${at}` },
        change: 'created',
      }));
      const path = `/api/sets/${SLUG}/changes`;
      const body = JSON.stringify({ changes });
      assert.equal((await ask(url + path, { method: 'POST', headers: JSON_BODY, body })).status, 200);
      sizes.push(statSync(log).size);
    }
    await process.kill();
    return { source, log, sizes };
  }

  async function resourcesOf(source: FaultSource): Promise<number> {
    const { exitCode, stdout, stderr } = await source.run(['sets', 'show', SLUG, '--json']);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout).resources;
  }

  it('is refused and left as it is when a flipped bit would lose commits', async () => {
    const { source, log, sizes } = await killedAfterPosts();
    const whole = readFileSync(log);
    const frame = 24 + whole.readUInt32BE(8);
    // In a page, in a checksum, and in a salt.
    for (const offset of [100, 17, 9]) {
      const damaged = Buffer.from(whole);
      const inSecond = 32 + Math.ceil((sizes[0]! - 32) / frame) * frame;
      damaged[inSecond + offset]! ^= 4;
      writeFileSync(log, damaged);
      for (const command of [['serve', '--port', '0'], ['verify', SLUG], ['status'], ['migrate']]) {
        const { exitCode, stderr } = await source.run(command);
        assert.match(stderr, /is damaged: commits in .*-wal cannot be read; restore it from a backup/);
        assert.equal(exitCode, 3);
      }
      assert.ok(readFileSync(log).equals(damaged));
    }
    writeFileSync(log, whole);
    assert.equal(await resourcesOf(source), POSTS * EVENTS);
  });

  it('may end in the middle of its last commit, as after a power failure', async () => {
    const { source, log, sizes } = await killedAfterPosts();
    truncateSync(log, sizes.at(-1)! - 100);
    assert.equal(await resourcesOf(source), (POSTS - 1) * EVENTS);
  });
});
