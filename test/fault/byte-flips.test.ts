import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { SqliteLocation } from '../../src/stores/locations.ts';
import { ask } from '../support/ask.ts';
import { FlippedStore } from '../support/byte-flips.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeFaultSources, FaultSource, SLUG } from '../support/fault-source.ts';
import { randomOf } from '../support/marc-records.ts';

describe('bits that are flipped in tidemark.db', () => {
  afterEach(closeFaultSources);

  it('are refused, or found by verify when documents differ', async () => {
    const store = await FlippedStore.make(2_000);
    await store.requireFound(8, randomOf(48));
  });

  for (const [what, change, says] of [
    ['a state', `UPDATE resources SET state = replace(state, '{"', '{x')`, /the state of a resource is not JSON/],
    ['a kind of a change', 'UPDATE changes SET kind = 68', /a change has the unknown kind 68/],
  ] as const) {
    it(`are said with 503 when they spoil ${what}, and by verify`, async () => {
      const source = await FaultSource.makeWithPages(SQLITE);
      const database = new DatabaseSync((source.store.location as SqliteLocation).file);
      database.exec(change);
      database.close();
      const { url } = await source.serve({ here: true });
      const list = what === 'a state' ? 'resourcelist.xml' : 'changelist.xml';
      const index = await ask(`${url}/sets/${SLUG}/${list}`);
      const path = /<loc>[^<]*(\/sets\/[^<]+)<\/loc>/.exec(index.text)?.[1] ?? `/sets/${SLUG}/${list}`;
      const { status, text } = index.status === 200 ? await ask(url + path) : index;
      assert.equal(status, 503, text);
      assert.match(text, says);
      const { exitCode, stderr } = await source.run(['verify', SLUG]);
      assert.equal(exitCode, 3);
      assert.match(stderr, says);
      assert.match(stderr, /the store is damaged: .* restore it from a backup/);
    });
  }
});
