import assert from 'node:assert/strict';
import { auditSource, itWithScript } from '../support/check-scripts.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { Workplace } from '../support/workplace.ts';
import { get } from './http.ts';
import { changesOf, locsOf } from './lists.ts';
import { ODD_NAMES, writeOddFiles } from './odd-names.ts';
import { type PublishedFolder, publishFolder } from './published-folder.ts';

describeOnEachStore('files with odd names', (store, itOnce) => {
  let place: Workplace;
  let published: PublishedFolder;

  before(async () => {
    place = await Workplace.make(store);
    published = await publishFolder(place, writeOddFiles);
  });

  // It was never made where the suite is skipped.
  after(() => place?.close());

  it('have distinct URIs that serve each file', async () => {
    const uris = locsOf((await get(`${published.set}/resourcelist.xml`)).text);
    assert.equal(new Set(uris).size, ODD_NAMES.length);
    const served: string[] = [];
    for (const uri of uris) {
      const { status, text } = await get(uri);
      assert.equal(status, 200, uri);
      served.push(text);
    }
    assert.deepEqual(served.sort(), [...ODD_NAMES].sort());
  });

  itOnce('have URIs that fetch, with a parser of its own, asks for the same files by', async () => {
    for (const uri of locsOf((await get(`${published.set}/resourcelist.xml`)).text)) {
      assert.equal(await (await fetch(uri)).text(), (await get(uri)).text, uri);
    }
  });

  itOnce('have the same URIs in both lists', async () => {
    const listed = locsOf((await get(`${published.set}/resourcelist.xml`)).text);
    const changed = changesOf((await get(`${published.set}/changelist.xml`)).text).map(({ uri }) => uri);
    assert.deepEqual([...changed].sort(), [...listed].sort());
  });

  itWithScript('audit', 'leave an auditor nothing to find', async () => {
    const { exitCode, output } = await auditSource(published.baseUrl);
    assert.equal(exitCode, 0, output);
  });
});
