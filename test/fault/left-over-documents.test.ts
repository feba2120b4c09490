import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BODY_ENDING } from '../../src/publish/cache/document-files.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeFaultSources, FaultSource, SLUG } from '../support/fault-source.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
/** When servers clean up, in UTC. */
const NIGHT_MS = 3.5 * 3_600_000;

describe('a document that a killed server has rendered and not published', () => {
  let source: FaultSource;
  beforeEach(async () => {
    source = await FaultSource.makeWithPages(SQLITE);
  });
  afterEach(closeFaultSources);

  const bodies = async () => {
    const names = await readdir(join(source.folder, 'documents'), { recursive: true }).catch(() => []);
    return names.filter((name) => name.endsWith(BODY_ENDING));
  };

  it('is removed at night by a server that was started at once, and nothing else is', async () => {
    const killed = await source.serve({ failpoint: 'render.written:kill' });
    const known = await bodies();
    await assert.rejects(ask(`${killed.url}/sets/${SLUG}/changelist-recent.xml`));
    await killed.process.exit();
    const [left, ...more] = (await bodies()).filter((name) => !known.includes(name));
    assert.ok(left !== undefined && more.length === 0);

    const clock = new SettableClock(source.folder);
    const { url } = await source.serve({ clock });
    const list = await ask(`${url}/sets/${SLUG}/resourcelist.xml`);
    assert.equal(list.status, 200);
    const before = await bodies();
    assert.ok(before.includes(left) && before.length > 1);

    const now = Date.now();
    const night = Math.ceil((now - NIGHT_MS) / DAY_MS) * DAY_MS + NIGHT_MS;
    // Ten minutes later it is no longer young, also just before that time.
    clock.set((night - now) / 1000 + 660);
    await until('it is removed', async () => !(await bodies()).includes(left));
    assert.deepEqual((await bodies()).toSorted(), before.filter((name) => name !== left).toSorted());
    assert.equal((await ask(`${url}/sets/${SLUG}/resourcelist.xml`)).text, list.text);
  });
});
