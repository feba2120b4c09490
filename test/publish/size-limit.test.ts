import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/core/change.ts';
import { ask } from '../support/ask.ts';
import { upsert } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

// An event's weight is the upper bound of its bytes in a document (test/unit/publish/documents-entry.test.ts), so that
// a document of 50 MB need not be made here.
const WEIGHT = 20 * 1024 * 1024;
const MOST_ENTRIES = Math.floor((50 * 1024 * 1024) / WEIGHT);

describeOnEachStore('Documents of resources that take 20 MB each', (store) => {
  let started: StartedApp;
  let set: number;

  beforeEach(async () => {
    started = await startApp(store);
    ({ id: set } = await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://maps.example.org/' }));
  });
  afterEach(closeApps);

  const post = (...numbers: readonly number[]) =>
    started.app.updater.post(numbers.map((number) => eventOf(set, number)));
  const get = async (path: string) => {
    const answer = await ask(new URL(path, `${started.url}/sets/maps/`).href);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };

  /** Reads each part of an index, and returns how many entries all of them have. */
  async function countEntriesOf(index: string): Promise<number> {
    const { text } = await get(index);
    assert.match(text, /<sitemapindex/);
    let entries = 0;
    for (const part of locsOf(text)) {
      const inPart = locsOf((await get(part)).text).length;
      assert.ok(inPart <= MOST_ENTRIES, `${part} has ${inPart} entries`);
      entries += inPart;
    }
    return entries;
  }

  it('have at most 50 MB, whether a page is cut, filled or split', async () => {
    await post(10, 20, 30, 40, 50);
    assert.equal(await countEntriesOf('resourcelist.xml'), 5, 'cut');
    await post(60, 70, 80, 90);
    assert.equal(await countEntriesOf('resourcelist.xml'), 9, 'filled');
    await post(11, 12, 13);
    assert.equal(await countEntriesOf('resourcelist.xml'), 12, 'split');
    assert.equal(await countEntriesOf('changelist.xml'), 12);
    assert.ok(locsOf((await get('changelist-recent.xml')).text).length <= MOST_ENTRIES);
  });

  it('have at most 50 MB when they are asked for with a time, and lead on to the rest', async () => {
    await post(10, 20, 30, 40, 50);
    const found: string[] = [];
    let next: string | undefined = 'changelist.xml?from=2020-01-01T00:00:00Z';
    while (next !== undefined) {
      const { text, headers } = await get(next);
      const uris = locsOf(text);
      assert.ok(uris.length <= MOST_ENTRIES, `${next} has ${uris.length} entries`);
      found.push(...uris);
      [, next] = /<([^>]*)>; rel="next"/.exec(String(headers.link)) ?? [];
    }
    assert.equal(found.length, 5);
  });
});

function eventOf(set: number, number: number): ChangeEvent {
  return { ...upsert(set, `item-${number}`, { length: number }), weight: WEIGHT };
}

function locsOf(text: string): readonly string[] {
  return [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, uri]) => uri!);
}
