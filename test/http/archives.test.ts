import assert from 'node:assert/strict';
import { ask, askJson } from '../support/ask.ts';
import { entriesOf, linkOf, mdOf } from '../support/document-parts.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { parseDocument, type XmlElement } from '../support/parse-document.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

describeOnEachStore('The archive of Change Lists', (store, itOnce) => {
  let started: StartedApp;
  let home: string;

  beforeEach(async () => {
    started = await startApp(store);
    home = `${started.url}/sets/papers`;
    await started.app.sets.add({
      ...{ slug: 'papers', urlPrefix: 'https://data.example.org/papers/', windowChanges: 2 },
    });
  });
  afterEach(closeApps);

  async function post(...names: string[]): Promise<void> {
    for (const value of names) {
      const changes = [{ location: { value, type: 'rel_path' }, change: 'created' }];
      assert.equal((await askJson(`${started.url}/api/sets/papers/changes`, { changes })).body.applied, 1);
    }
  }

  async function read(uri: string): Promise<XmlElement> {
    const { status, text } = await ask(uri);
    assert.equal(status, 200, uri);
    return parseDocument(uri, text).root;
  }

  const archived = async () => entriesOf(await read(`${home}/changelist-archive.xml`));

  it('lists every window that is closed, with the times that the window has', async () => {
    await post('a');
    assert.deepEqual(await archived(), []);
    await post('b', 'c', 'd', 'e');
    const entries = await archived();
    assert.deepEqual(
      entries.map(({ loc }) => loc),
      [`${home}/changelist-1-00000001.xml`, `${home}/changelist-1-00000002.xml`],
    );
    for (const { loc, md } of entries) {
      const { capability, ...times } = mdOf(await read(loc));
      assert.deepEqual([capability, times], ['changelist', md]);
    }
    assert.equal(entries[1]!.md.from, entries[0]!.md.until);
  });

  itOnce('can be found from the Capability List and from the live list, one or many, and leads up', async () => {
    const uri = `${home}/changelist-archive.xml`;
    const list = await read(`${home}/capabilitylist.xml`);
    const named = entriesOf(list).find(({ md }) => md.capability === 'changelist-archive');
    assert.equal(named?.loc, uri);
    assert.equal(linkOf(await read(`${home}/changelist.xml`), 'archives'), uri);
    await post('a', 'b', 'c');
    assert.equal(linkOf(await read(`${home}/changelist.xml`), 'archives'), uri);
    const archive = await read(uri);
    assert.deepEqual(mdOf(archive), { capability: 'changelist-archive' });
    assert.equal(linkOf(archive, 'up'), `${home}/capabilitylist.xml`);
    assert.equal((await askJson(`${started.url}/api/sets/papers`)).body.documents.changeListArchive, uri);
    assert.match((await ask(`${home}/`)).text, /changelist-archive\.xml/);
    const page = await ask(`${home}/changelist.xml`, { headers: { Accept: 'text/html' } });
    assert.match(page.text, /Earlier lists/);
  });

  itOnce('shows people the times of each', async () => {
    await post('a', 'b', 'c');
    const { text } = await ask(`${home}/changelist-archive.xml`, { headers: { Accept: 'text/html' } });
    for (const shown of ['Change List Archive', 'changelist-1-00000001.xml', 'From', 'Until']) {
      assert.ok(text.includes(shown), shown);
    }
  });

  itOnce('begins anew with the history of the set', async () => {
    await post('a', 'b', 'c');
    assert.equal((await archived()).length, 1);
    await started.app.sets.renew('papers');
    assert.deepEqual(await archived(), []);
  });

  itOnce('has no parts that do not exist', async () => {
    for (const part of ['00002', '1', 'x']) {
      assert.equal((await ask(`${home}/changelist-archive-${part}.xml`)).status, 404);
    }
  });
});
