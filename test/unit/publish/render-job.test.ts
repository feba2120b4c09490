import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ChangeEvent } from '../../../src/core/change.ts';
import { boundaryAfter, type Stamp } from '../../../src/core/stamp.ts';
import { writeDocument } from '../../../src/publish/cache/document-files.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';
import { renderChangeListIndex } from '../../../src/publish/render/documents/change-list-index.ts';
import { renderResourceDump, renderResourceDumpIndex } from '../../../src/publish/render/documents/resource-dump.ts';
import { renderResourceListIndex } from '../../../src/publish/render/documents/resource-list-index.ts';
import { renderSourceDescription } from '../../../src/publish/render/documents/source-description.ts';
import { renderSourceDescriptionIndex } from '../../../src/publish/render/documents/source-description-index.ts';
import { type OlderVersion, renderIncrementally } from '../../../src/publish/render/incremental-render.ts';
import { type RecentChangesJob, type RenderJob, render } from '../../../src/publish/render/render-job.ts';
import { deletion, upsert } from '../../support/builders.ts';
import { PublishedSets } from '../../support/published-sets.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const CAPABILITY_LIST = 'https://data.example.org/capabilitylist.xml';

describe('A rendered document', () => {
  let sets: PublishedSets;
  let published: PublishedSet;
  before(async () => {
    sets = await PublishedSets.open();
  });
  after(() => sets.close());
  beforeEach(async () => {
    published = await sets.add();
  });

  const id = () => published.set.id;
  const commit = (...events: readonly ChangeEvent[]) => sets.commit(...events);
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1000}`);
  async function textOf(job: RenderJob): Promise<string> {
    return text(Readable.from(render(job, sets.index)));
  }
  /** The names that it has entries of. */
  const namesIn = (document: string) => [...document.matchAll(/<url><loc>[^<]*\/([^</]*)/g)].map(([, name]) => name);

  function page(fields: object = {}): RenderJob {
    const { style } = published;
    const head = { at: 3, capabilityList: CAPABILITY_LIST };
    return { kind: 'resource-page', set: id(), range: {}, head, style, ...fields };
  }
  function recent(until: Stamp, fields: Partial<RecentChangesJob> = {}): RenderJob {
    const limits = { entries: 1_000, weight: 1_000_000_000 };
    const { set, style } = published;
    const job = { kind: 'recent-changes', set: id(), epochStart: set.epochStart, until, limits } as const;
    return { ...job, capabilityList: CAPABILITY_LIST, style, ...fields };
  }

  it('of few facts is what its renderer makes of them', async () => {
    assert.equal(await textOf({ kind: 'text', text: '<a/>' }), '<a/>');
    const description = { capabilityLists: [{ uri: CAPABILITY_LIST }] };
    assert.equal(
      await textOf({ kind: 'source-description', document: description }),
      renderSourceDescription(description),
    );
    const descriptions = { describedBy: 'https://data.example.org/', parts: ['https://data.example.org/1.xml'] };
    assert.equal(
      await textOf({ kind: 'source-description-index', document: descriptions }),
      renderSourceDescriptionIndex(descriptions),
    );
    const pages = { at: 3, capabilityList: CAPABILITY_LIST, pages: [{ uri: 'https://data.example.org/1.xml', at: 3 }] };
    assert.equal(await textOf({ kind: 'resource-list-index', document: pages }), renderResourceListIndex(pages));
    const windows = { from: 1, capabilityList: CAPABILITY_LIST, windows: [] };
    assert.equal(await textOf({ kind: 'change-list-index', document: windows }), renderChangeListIndex(windows));
    const head = { at: 3, completed: 6, capabilityList: CAPABILITY_LIST };
    const dump = { ...head, packages: [] };
    assert.equal(await textOf({ kind: 'resource-dump', document: dump }), renderResourceDump(dump));
    const parts = { ...head, parts: [{ uri: 'https://data.example.org/resourcedump-00001.xml', at: 3 }] };
    assert.equal(await textOf({ kind: 'resource-dump-index', document: parts }), renderResourceDumpIndex(parts));
  });

  it('has all resources of its range in order, however many', async () => {
    const names = numbered(130);
    await commit(...names.map((name) => upsert(id(), name)));
    const whole = await textOf(page());
    assert.deepEqual(namesIn(whole), names);
    assert.ok(whole.endsWith('</urlset>\n'));
    assert.deepEqual(namesIn(await textOf(page({ range: { from: '/1005', to: '/1008' } }))), ['1005', '1006', '1007']);
  });

  it('of a retired page leaves out what was created later, and has the present state of the rest', async () => {
    const [first] = (await commit(upsert(id(), 'a'))) as [Stamp];
    await commit(upsert(id(), 'b'), upsert(id(), 'a', { length: 7 }));
    const whole = await textOf(page({ createdBefore: boundaryAfter(first) }));
    assert.deepEqual(namesIn(whole), ['a']);
    assert.match(whole, /length="7"/);
    assert.deepEqual(namesIn(await textOf(page({ createdBefore: first }))), []);
  });

  it('has all changes between two boundaries in their order, however many', async () => {
    const names = numbered(70);
    const stamps = await commit(...names.map((name) => upsert(id(), name)), deletion(id(), '1003'));
    const { style } = published;
    const changes = (after: Stamp, until: Stamp) => {
      const head = { from: after, capabilityList: CAPABILITY_LIST };
      return textOf({ kind: 'changes', set: id(), after, until, head, style });
    };
    const whole = await changes(published.set.epochStart, boundaryAfter(stamps.at(-1)!));
    assert.deepEqual(namesIn(whole), [...names, '1003']);
    assert.match(whole, /capability="changelist" from="/);
    assert.deepEqual(namesIn(await changes(stamps[0]! + 1, stamps[3]! - 1)), ['1001', '1002']);
  });

  it('of the recent changes begins where the newest have room, and not before the history of the set', async () => {
    const stamps = await commit(...numbered(5).map((name) => upsert(id(), name)));
    const until = boundaryAfter(stamps.at(-1)!);
    assert.deepEqual(namesIn(await textOf(recent(until))), numbered(5));
    assert.deepEqual(namesIn(await textOf(recent(until, { limits: { entries: 2, weight: 1e9 } }))), ['1003', '1004']);
    const later = await textOf(recent(until, { epochStart: stamps[2]! + 1 }));
    assert.deepEqual(namesIn(later), ['1003', '1004']);
    assert.deepEqual(namesIn(await textOf(recent(stamps[1]! + 1))), ['1000', '1001']);
  });

  describe('made of an older version', () => {
    const folder = useTempFolder();
    const RANGE = { from: '/b', to: '/d' };

    async function older(job: RenderJob, newest: Stamp): Promise<OlderVersion> {
      const name = folder.at('older.json');
      const { body, lengths } = await writeDocument(name, render(job, sets.index), { newest, immutable: false });
      return { file: folder.at(`${body}.xml.gz`), length: lengths.identity, newest };
    }
    const pageAt = (newest: Stamp) =>
      page({ range: RANGE, head: { at: boundaryAfter(newest), capabilityList: CAPABILITY_LIST } });
    async function updated(job: RenderJob, version: OlderVersion): Promise<string | undefined> {
      const parts = await renderIncrementally(job, version, sets.index);
      return parts === undefined ? undefined : text(Readable.from(parts));
    }

    it('has the changes of exactly its range: from its first key up to the one behind its last', async () => {
      const [, , , first] = (await commit(...['a', 'b', 'c', 'd'].map((name) => upsert(id(), name)))) as Stamp[];
      const version = await older(pageAt(first!), first!);
      const [, last] = (await commit(...['b', 'd'].map((name) => upsert(id(), name, { length: 7 })))) as Stamp[];
      const made = await updated(pageAt(last!), version);
      assert.deepEqual(namesIn(made!), ['b', 'c']);
      assert.equal(made, await textOf(pageAt(last!)));
    });

    it('is made so of up to a thousand changes', async () => {
      const [first] = (await commit(upsert(id(), 'b'))) as [Stamp];
      const version = await older(pageAt(first), first);
      const thousand = await commit(...numbered(1_000).map((name) => upsert(id(), `b/${name}`)));
      assert.equal(await updated(pageAt(thousand.at(-1)!), version), await textOf(pageAt(thousand.at(-1)!)));
      const [one] = (await commit(upsert(id(), 'c'))) as [Stamp];
      assert.equal(await updated(pageAt(one), version), undefined);
    });

    it('is not made so of a file that is longer than its record says, nor of other documents', async () => {
      const [first] = (await commit(upsert(id(), 'b'))) as [Stamp];
      const version = await older(pageAt(first), first);
      assert.notEqual(await updated(pageAt(first), version), undefined);
      assert.equal(await updated(pageAt(first), { ...version, length: version.length - 1 }), undefined);
      assert.equal(await updated({ kind: 'text', text: '' }, version), undefined);
    });
  });
});
