import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/domain/change.ts';
import { LogTail } from '../../src/publisher/log-tail.ts';
import type { PageDirectory, StoredDirectory } from '../../src/publisher/page-directory.ts';
import type { PublishedSet } from '../../src/publisher/publisher.ts';
import { type PublicationParts, SetPublication } from '../../src/publisher/set-publication.ts';
import { catalogId } from '../../src/sets/set-registry.ts';
import { deletion, upsert } from '../support/builders.ts';
import { PublishedSets } from '../support/published-sets.ts';

const FIRST = '1-00000001';
const SECOND = '1-00000002';
const THIRD = '1-00000003';
const FOURTH = '1-00000004';

describe('The publication of a set', () => {
  let sets: PublishedSets;
  let published: PublishedSet;
  let surveys: number;
  before(async () => {
    sets = await PublishedSets.open();
  });
  after(() => sets.close());
  beforeEach(async () => {
    published = await sets.add();
    surveys = 0;
    await commit('b', 'd', 'h', 'j');
  });

  const id = () => published.set.id;
  const commit = (...paths: readonly string[]) => sets.commit(...paths.map((path) => upsert(id(), path)));
  const storedDirectory = () => sets.catalog.get<StoredDirectory>('page-directory', catalogId(id()));
  const settled = (publication: SetPublication, { set } = published) => publication.settled(set, shapeOf);

  /** As a process of its own has it. @param happens before each survey, and after it */
  function publicationOf(
    { set }: PublishedSet,
    happens: (when: 'before' | 'after') => Promise<void> = async () => {},
  ): SetPublication {
    const { index, catalog } = sets;
    const survey: PublicationParts['survey'] = async (...asked) => {
      surveys += 1;
      await happens('before');
      const survey = await index.survey(...asked);
      await happens('after');
      return survey;
    };
    return new SetPublication(set, { index, catalog, tail: new LogTail(index), survey });
  }

  /** One that has the pages "b" to "d" and "h" to "j", each with room for one more, and has them stored. */
  async function twoPages(): Promise<SetPublication> {
    const publication = publicationOf(published);
    assert.deepEqual(await settled(publication), { [FIRST]: ['', 2], [SECOND]: ['/h', 2] });
    assert.equal(surveys, 1);
    return publication;
  }

  it('cuts its pages at the first request, and stores them before it returns', async () => {
    const publication = publicationOf(published);
    assert.deepEqual(publication.knownPages(), []);
    const names = await publication.settled(published.set, ({ pages }) => pages.map(({ name }) => name));
    assert.deepEqual(names, [FIRST, SECOND]);
    const stored = await storedDirectory();
    assert.deepEqual(
      stored?.body.pages.map(({ name }) => name),
      names,
    );
    assert.deepEqual(
      publication.knownPages().map(({ document }) => document),
      names.map((name) => `resourcelist-${name}`),
    );
  });

  it('counts what was committed before the request', async () => {
    const publication = await twoPages();
    const [updated, deleted] = await commitAll(upsert(id(), 'b', { length: 2 }), deletion(id(), 'h'));
    assert.deepEqual(await settled(publication), { [FIRST]: ['', 2], [SECOND]: ['/h', 1] });
    assert.deepEqual(
      publication.knownPages().map(({ version }) => version),
      [updated, deleted],
    );
    assert.equal(surveys, 1, 'nothing is read but the log');
  });

  it('splits a page with too many entries, and leaves the others', async () => {
    const publication = await twoPages();
    await commit('c', 'c2');
    const expected = { [THIRD]: ['', 2], [FOURTH]: ['/c2', 2], [SECOND]: ['/h', 2] };
    assert.deepEqual(await settled(publication), expected);
    assert.equal((await storedDirectory())?.body.lastNumber, 4);
    assert.deepEqual(await settled(publicationOf(published)), expected, 'every process has the same pages');
    assert.equal(surveys, 2);
  });

  it('opens a page behind the last one, and stores it', async () => {
    const publication = await twoPages();
    await commit('l', 'n');
    const expected = { [FIRST]: ['', 2], [SECOND]: ['/h', 3], [THIRD]: ['/n', 1] };
    assert.deepEqual(await settled(publication), expected);
    assert.equal((await storedDirectory())?.body.lastNumber, 3);
    assert.equal(surveys, 1);
  });

  it('removes a page that has become empty', async () => {
    const publication = await twoPages();
    await commitAll(...['h', 'j'].map((path) => deletion(id(), path)));
    assert.deepEqual(await settled(publication), { [FIRST]: ['', 2] });
    const stored = (await storedDirectory())!.body;
    assert.deepEqual(
      stored.retired.map(({ name }) => name),
      [SECOND],
    );
    assert.deepEqual(
      publication.knownPages().map(({ document }) => document),
      ['resourcelist'],
    );
  });

  it('goes on from what is stored, and reads the log since then', async () => {
    await twoPages();
    await commitAll(deletion(id(), 'b'));
    const next = publicationOf(published);
    assert.deepEqual(await settled(next), { [FIRST]: ['', 1], [SECOND]: ['/h', 2] });
    await commitAll(deletion(id(), 'j'));
    assert.deepEqual(await settled(next), { [FIRST]: ['', 1], [SECOND]: ['/h', 1] });
    assert.equal(surveys, 1);
  });

  it('stores at its end what it has counted', async () => {
    const publication = await twoPages();
    const [deleted] = (await commitAll(deletion(id(), 'b'))) as [number];
    await settled(publication);
    assert.equal((await storedDirectory())?.body.pages[0]?.entries, 2);
    await publication.close();
    const { pages, through } = (await storedDirectory())!.body;
    assert.equal(pages[0]?.entries, 1);
    assert.ok(through > deleted);
  });

  it('stores nothing at its end when nobody asked for a page', async () => {
    await publicationOf(published).close();
    assert.equal(await storedDirectory(), undefined);
  });

  it('leaves at its end what another process has stored meanwhile', async () => {
    const one = await twoPages();
    const other = publicationOf(published);
    await settled(other);
    await commit('c', 'c2');
    await settled(other);
    const stored = await storedDirectory();
    await one.close();
    assert.deepEqual(await storedDirectory(), stored);
    assert.deepEqual(one.knownPages(), []);
  });

  it('takes the pages that another process has stored', async () => {
    const one = await twoPages();
    const other = publicationOf(published);
    await settled(other);
    await commit('c', 'c2');
    const expected = await settled(other);
    assert.deepEqual(await settled(one), expected);
    assert.equal(surveys, 2, 'only one of them split the page');
    await commit('g', 'i');
    const [ofOne, ofOther] = await Promise.all([settled(one), settled(other)]);
    assert.deepEqual(ofOne, ofOther);
  });

  it('is the same for all who ask at once', async () => {
    const publication = await twoPages();
    await commit('c', 'c2');
    const answers = await Promise.all([1, 2, 3].map(() => settled(publication)));
    assert.deepEqual(answers, Array(3).fill({ [THIRD]: ['', 2], [FOURTH]: ['/c2', 2], [SECOND]: ['/h', 2] }));
    assert.equal(surveys, 2);
  });

  it('counts once what is committed while a page is surveyed', async () => {
    const publication = publicationOf(published, async (when) => {
      if (surveys === 1) return;
      if (when === 'before') await commitAll(deletion(id(), 'b'), deletion(id(), 'h'));
      else await commit('b');
    });
    await settled(publication);
    await commit('c', 'c2', 'c3');
    assert.deepEqual(await settled(publication), { [THIRD]: ['', 3], [FOURTH]: ['/c3', 2], [SECOND]: ['/h', 1] });
  });

  it('cuts all pages anew when the set has another page size, once', async () => {
    const publication = await twoPages();
    const resized = await sets.put({ ...published.set, pageEntries: 6, pagesSince: await sets.index.mark() });
    assert.deepEqual(await settled(publication, resized), { [THIRD]: ['', 4] });
    assert.deepEqual(
      await settled(publication, published),
      { [THIRD]: ['', 4] },
      'a request that knows less of the set',
    );
    assert.deepEqual(await settled(publicationOf(resized), resized), { [THIRD]: ['', 4] });
    assert.equal(surveys, 2);
    assert.equal((await storedDirectory())?.body.pageEntries, 6);
  });

  it('cuts pages of its own in another epoch', async () => {
    await twoPages();
    const again = await sets.put({ ...published.set, epoch: 2 });
    assert.deepEqual(await settled(publicationOf(again), again), { '2-00000001': ['', 2], '2-00000002': ['/h', 2] });
    assert.equal((await storedDirectory())?.body.epoch, 2);
  });

  it('asks to try again when changes come in faster than pages can be split', async () => {
    let first = 'b';
    const publication = publicationOf(published, async (when) => {
      if (when === 'before') return;
      first = `a${first}`;
      await commit(first, `${first}1`, `${first}2`, `${first}3`);
    });
    await settled(publication);
    await assert.rejects(settled(publication), { code: 'not-ready' });
  });

  function commitAll(...events: readonly ChangeEvent[]) {
    return sets.commit(...events);
  }
});

/** The first key and the number of entries of each page. */
function shapeOf({ pages }: PageDirectory): Record<string, [from: string, entries: number]> {
  return Object.fromEntries(pages.map(({ name, from, entries }) => [name, [from, entries]]));
}
