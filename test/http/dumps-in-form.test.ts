import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { Secret } from '../../src/config/secret.ts';
import { requireOrganizationId, requireStreamId } from '../../src/records/organization.ts';
import { slugsOfStream } from '../../src/records/stream-sets.ts';
import { ask } from '../support/ask.ts';
import { Consortium } from '../support/consortium.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { parseDocument, type XmlElement } from '../support/parse-document.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

describeOnEachStore('The dumps of an organization in one form', (store, itOnce) => {
  let started: StartedApp;
  let consortium: Consortium;

  beforeEach(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    consortium = new Consortium(started.app, started.folder);
    await consortium.add('lane');
    await consortium.put('lane', { a: 'one', b: 'two' });
  });
  afterEach(closeApps);

  async function entriesOf(set: string, list = 'resourcelist.xml') {
    const uri = `${started.url}/sets/${set}/${list}`;
    const { status, text } = await ask(uri);
    assert.equal(status, 200, text);
    return named(parseDocument(uri, text).root, 'url').map((entry) => {
      const loc = named(entry, 'loc')[0]!.text;
      return {
        loc,
        name: loc.split('/').at(-1)!,
        lastmod: named(entry, 'lastmod')[0]?.text,
        md: named(entry, 'rs:md')[0]!.attributes,
      };
    });
  }

  const slugs = async () => (await started.app.sets.list()).map(({ slug }) => slug);
  const kindsOf = (entries: readonly { readonly name: string }[]) =>
    entries.map(({ name }) => name.replace(/^lane-[\dTZ-]+-(?=full|delta)/, ''));

  it('are a set: the last full dump and the deltas after it, until there is a next full dump (130)', async () => {
    await consortium.dump('lane', 'full');
    await consortium.put('lane', { a: undefined, b: 'changed', c: 'new' });
    await consortium.dump('lane', 'delta');
    const ofAll = new Map((await entriesOf('lane.dumps')).map(({ name, lastmod, md }) => [name, { lastmod, md }]));
    for (const [form, ending] of [
      ['marcxml', 'marcxml.xml.gz'],
      ['marc21', 'marc21.mrc.gz'],
    ] as const) {
      const entries = await entriesOf(`lane.dumps.${form}`);
      assert.deepEqual(kindsOf(entries), [`full-${ending}`, 'delta-deletes.del.txt', `delta-${ending}`]);
      for (const { name, loc, lastmod, md } of entries) {
        assert.deepEqual({ lastmod, md }, ofAll.get(name));
        const { bytes } = await ask(loc);
        assert.equal(bytes.length, Number(md.length));
        if (name.endsWith('.del.txt')) assert.equal(String(bytes), 'a\n');
        else assert.match(String(gunzipSync(bytes)), name.includes('full') ? /two/ : /changed/);
      }
    }
    await consortium.put('lane', { d: 'more' });
    await consortium.dump('lane', 'full');
    assert.deepEqual(kindsOf(await entriesOf('lane.dumps.marcxml')), ['full-marcxml.xml.gz']);
    assert.ok((await entriesOf('lane.dumps')).length > 6);
    const changes = await entriesOf('lane.dumps.marcxml', 'changelist.xml');
    const deleted = changes.filter(({ md }) => md.change === 'deleted');
    assert.deepEqual(kindsOf(deleted).sort(), ['delta-deletes.del.txt', 'delta-marcxml.xml.gz', 'full-marcxml.xml.gz']);
    // What the aggregator's address lists is the same.
    const pod = (await ask(`${started.url}/organizations/lane/normalized_resourcelist/marcxml`)).text;
    const [only] = await entriesOf('lane.dumps.marcxml');
    assert.deepEqual(
      [...pod.matchAll(/<loc>.*\/(.*?)<\/loc>/g)].map(([, name]) => name),
      [only!.name],
    );
    // A dump that the set of dumps does not list yet has no addresses.
    await started.app.records.streamDumps.build({ organization: 'lane' }, 'full');
    const list = `${started.url}/organizations/lane/normalized_resourcelist/marcxml`;
    const listed = [...(await ask(list)).text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(
      ([, loc]) => loc!.split('/').at(-1)!,
    );
    assert.ok(listed.length > 0);
    assert.match(listed[0]!, /full-marcxml\.xml\.gz$/);
  });

  itOnce('are made with the first dump that has the form, and say what they are for', async () => {
    assert.deepEqual(
      (await slugs()).filter((slug) => slug.startsWith('lane.dumps')),
      ['lane.dumps'],
    );
    await consortium.dump('lane', 'full');
    const made = (await slugs()).filter((slug) => slug.startsWith('lane.dumps'));
    assert.deepEqual(made.sort(), ['lane.dumps', 'lane.dumps.marc21', 'lane.dumps.marcxml']);
    const { title } = await started.app.sets.bySlug('lane.dumps.marcxml');
    assert.equal(title, 'Library of lane: full and delta dumps as MARCXML, for programs that follow by files');
    const description = (await ask(`${started.url}/.well-known/resourcesync`)).text;
    assert.match(description, /\/sets\/lane\.dumps\.marcxml\/capabilitylist\.xml/);
    assert.match((await ask(`${started.url}/sets/lane.dumps.marcxml/`)).text, /dumps as MARCXML, for programs that/);
    assert.match((await ask(`${started.url}/organizations/lane/`)).text, /lane\.dumps\.marcxml/);
    await started.app.records.organizations.change('lane', { title: 'Lane Library' });
    assert.match((await started.app.sets.bySlug('lane.dumps.marc21')).title!, /^Lane Library: /);
  });

  itOnce('are private with the organization, also when it becomes so while they are made', async () => {
    const { sets, records } = started.app;
    const { organizations } = records;
    const add = sets.add.bind(sets);
    sets.add = async (set) => {
      if (set.slug === 'lane.dumps.marc21') await organizations.change('lane', { private: true });
      return add(set);
    };
    await consortium.dump('lane', 'full');
    const areOfLane = ({ slug }: { readonly slug: string }) => slug.startsWith('lane');
    const access = async () => new Set((await sets.list()).filter(areOfLane).map((set) => set.private === true));
    assert.deepEqual(await access(), new Set([true]));
    assert.equal((await ask(`${started.url}/sets/lane.dumps.marcxml/resourcelist.xml`)).status, 404);
    await organizations.change('lane', { private: false });
    assert.deepEqual(await access(), new Set([false]));
  });

  itOnce('are made at the next dump of a store of an earlier version, when nothing is new, too', async () => {
    const { organizations } = started.app.records;
    organizations.ensureDumpSets = async () => {};
    await consortium.dump('lane', 'full');
    assert.equal((await slugs()).includes('lane.dumps.marcxml'), false);
    Reflect.deleteProperty(organizations, 'ensureDumpSets');
    await consortium.dump('lane', 'delta');
    assert.deepEqual(kindsOf(await entriesOf('lane.dumps.marcxml')), ['full-marcxml.xml.gz']);
  });

  itOnce('do not prevent a dump when another set has their id', async () => {
    await started.app.sets.add({ slug: 'lane.dumps.marc21', urlPrefix: 'https://data.example.org/' });
    await consortium.dump('lane', 'full');
    await started.app.records.organizations.change('lane', { title: 'Lane Library' });
    assert.equal((await started.app.sets.bySlug('lane.dumps.marc21')).origin.kind, 'posted');
    assert.equal((await entriesOf('lane.dumps.marcxml')).length, 1);
  });

  itOnce('have ids of at most 64 characters, which no organization has', () => {
    const longest = slugsOfStream({ organization: 'a'.repeat(50) }).map(({ length }) => length);
    assert.equal(Math.max(...longest), 64);
    for (const id of ['lane.dumps.marcxml', 'lane.dumps.marc21', 'lane.dumps.oai', 'lane.dumps']) {
      assert.throws(() => requireOrganizationId(id), /choose another one/);
      assert.throws(() => requireStreamId(id, 'a'), /choose another one/);
    }
    requireOrganizationId('lane.marcxml');
  });
});

function named(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name);
}
