import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { ChangeEvent } from '../../../src/core/change.ts';
import { TidemarkError } from '../../../src/core/errors.ts';
import { LogTail } from '../../../src/publish/pages/log-tail.ts';
import type { PageDirectory } from '../../../src/publish/pages/page-directory.ts';
import { type PublicationParts, SetPublication } from '../../../src/publish/pages/set-publication.ts';
import type { StoredDirectory } from '../../../src/publish/pages/stored-directory.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';
import { catalogId } from '../../../src/stores/document-of-set.ts';
import { deletion, upsert } from '../../support/builders.ts';
import { PublishedSets, withAfter } from '../../support/published-sets.ts';

const FIRST = '1-00000001';
const SECOND = '1-00000002';
const THIRD = '1-00000003';
const FOURTH = '1-00000004';

/** Of a publication, in place of its own. */
interface Given extends Partial<Pick<PublicationParts, 'tail' | 'catalog'>> {
  /** Before each survey, and after it. */
  happens?(when: 'before' | 'after'): Promise<void>;
}

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

  /** As a process of its own has it. */
  function publicationOf({ set }: PublishedSet, given: Given = {}): SetPublication {
    const { index } = sets;
    const { tail = new LogTail(index), catalog = sets.catalog, happens } = given;
    const survey: PublicationParts['survey'] = async (...asked) => {
      surveys += 1;
      await happens?.('before');
      const survey = await index.survey(...asked);
      await happens?.('after');
      return survey;
    };
    return new SetPublication(set, { index, catalog, tail, survey });
  }

  /** One that has the pages "b" to "d" and "h" to "j", each with room for one more, and has them stored. */
  async function twoPages(): Promise<SetPublication> {
    const publication = publicationOf(published);
    assert.deepEqual(await settled(publication), { [FIRST]: ['', 2], [SECOND]: ['/h', 2] });
    assert.equal(surveys, 1);
    return publication;
  }

  it('of an older epoch leaves the pages of the newer one as they are', async () => {
    const before = await twoPages();
    const after = await sets.put({ ...published.set, epoch: 2 });
    await settled(publicationOf(after), after);
    const stored = await storedDirectory();
    assert.equal(stored?.body.epoch, 2);
    for (const late of [before, before, publicationOf(published)]) {
      await assert.rejects(settled(late), { code: 'not-ready', message: /history of ".*" has just begun anew/ });
    }
    assert.deepEqual(await storedDirectory(), stored);
  });

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
      publication.knownPages().map(({ name }) => name),
      names,
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

  it('reads of the catalog only its version while the pages are as they were stored', async () => {
    const reads: string[] = [];
    const counted = withAfter(sets.catalog, 'get', async () => reads.push('get'));
    const catalog = withAfter(counted, 'head', async () => reads.push('head'));
    const publication = publicationOf(published, { catalog });
    await settled(publication);
    reads.length = 0;
    await commitAll(upsert(id(), 'b', { length: 2 }));
    await settled(publication);
    assert.deepEqual(reads, ['head']);
  });

  it('counts what was committed when the pages of another set were stored meanwhile, too', async () => {
    const publication = await twoPages();
    const other = await sets.add();
    await settled(publicationOf(other), other);
    await commitAll(deletion(id(), 'b'));
    assert.deepEqual(await settled(publication), { [FIRST]: ['', 1], [SECOND]: ['/h', 2] });
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
      publication.knownPages().map(({ name }) => name),
      [FIRST],
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

  it('stores at its end what it has counted, and what it knows of without a request', async () => {
    const tail = new LogTail(sets.index);
    const publication = publicationOf(published, { tail });
    await settled(publication);
    await commitAll(deletion(id(), 'b'));
    await settled(publication);
    assert.equal((await storedDirectory())?.body.pages[0]?.entries, 2);
    const [deleted] = (await commitAll(deletion(id(), 'd'))) as [number];
    await tail.catchUp();
    await publication.close();
    const { pages, through } = (await storedDirectory())!.body;
    assert.equal(pages[0]?.entries, 0);
    assert.ok(through > deleted);
  });

  it('ends without an error when the store cannot be reached', async () => {
    const closed = await PublishedSets.open();
    const set = await closed.add();
    const { index, catalog } = closed;
    const survey: PublicationParts['survey'] = (...asked) => index.survey(...asked);
    const publication = new SetPublication(set.set, { index, catalog, tail: new LogTail(index), survey });
    await settled(publication, set);
    await closed.close();
    await publication.close();
  });

  it('stores nothing when the survey of a page finds it within its limits', async () => {
    const publication = publicationOf(published, {
      async happens(when) {
        if (surveys > 1 && when === 'before') await commitAll(deletion(id(), 'c'));
      },
    });
    await settled(publication);
    const stored = await storedDirectory();
    await commit('c', 'c2');
    assert.deepEqual(await settled(publication), { [FIRST]: ['', 3], [SECOND]: ['/h', 2] });
    assert.deepEqual(await storedDirectory(), stored);
  });

  it('stores nothing at its end when no page was requested', async () => {
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
  });

  it('takes the pages that another process has cut anew, though no change asks for it', async () => {
    const one = await twoPages();
    const resized = await sets.put({ ...published.set, pageEntries: 6, pagesSince: await sets.index.mark() });
    assert.deepEqual(await settled(publicationOf(resized), resized), { [THIRD]: ['', 4] });
    assert.deepEqual(await settled(one), { [THIRD]: ['', 4] });
  });

  it('takes the pages of the first of two processes that split a page at once', async () => {
    const one = await twoPages();
    const other = publicationOf(published);
    await settled(other);
    await commit('c', 'c2');
    const expected = { [THIRD]: ['', 2], [FOURTH]: ['/c2', 2], [SECOND]: ['/h', 2] };
    assert.deepEqual(await Promise.all([settled(one), settled(other)]), [expected, expected]);
    assert.equal(surveys, 3, 'both have split it');
  });

  it('counts once what a second request asks for while a page is surveyed', async () => {
    const tail = new LogTail(sets.index);
    let second: Promise<unknown> | undefined;
    const publication = publicationOf(published, {
      tail,
      async happens(when) {
        if (surveys === 1 || when === 'before') return;
        await commitAll(deletion(id(), 'b'));
        second = settled(publication);
        await tail.catchUp();
        await setImmediate();
      },
    });
    await settled(publication);
    await commit('c', 'c2');
    const expected = { [THIRD]: ['', 1], [FOURTH]: ['/c2', 2], [SECOND]: ['/h', 2] };
    assert.deepEqual(await settled(publication), expected);
    assert.deepEqual(await second, expected);
  });

  it('counts what a second request asks for while the pages are stored', async () => {
    const tail = new LogTail(sets.index);
    let second: Promise<unknown> | undefined;
    const catalog = withAfter(sets.catalog, 'put', async () => {
      if (second !== undefined) return;
      await commitAll(deletion(id(), 'b'));
      second = settled(publication);
      await tail.catchUp();
      await setImmediate();
    });
    const publication = publicationOf(published, { tail, catalog });
    await settled(publication);
    assert.deepEqual(await second, { [FIRST]: ['', 1], [SECOND]: ['/h', 2] });
  });

  it('is the same for all concurrent requests', async () => {
    const publication = await twoPages();
    await commit('c', 'c2');
    const answers = await Promise.all([1, 2, 3].map(() => settled(publication)));
    assert.deepEqual(answers, Array(3).fill({ [THIRD]: ['', 2], [FOURTH]: ['/c2', 2], [SECOND]: ['/h', 2] }));
    assert.equal(surveys, 2);
  });

  it('counts once what is committed while a page is surveyed', async () => {
    const publication = publicationOf(published, {
      async happens(when) {
        if (surveys === 1) return;
        if (when === 'before') await commitAll(deletion(id(), 'b'), deletion(id(), 'h'));
        else await commit('b');
      },
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
    const publication = publicationOf(published, {
      async happens(when) {
        if (when === 'before') return;
        first = `a${first}`;
        await commit(first, `${first}1`, `${first}2`, `${first}3`);
      },
    });
    await settled(publication);
    const stored = await storedDirectory();
    await assert.rejects(settled(publication), { code: 'not-ready' });
    assert.deepEqual(await storedDirectory(), stored, 'no page with too many entries is stored');
    await publication.close();
    assert.deepEqual(await storedDirectory(), stored, 'nor at its end');
  });

  it('goes on with pages that it could not store yet, when those of another set were stored meanwhile', async () => {
    const tail = new LogTail(sets.index);
    let first = 'b';
    let isBusy = true;
    const publication = publicationOf(published, {
      tail,
      async happens(when) {
        if (when === 'before' || !isBusy) return;
        first = `a${first}`;
        await commit(first, `${first}1`, `${first}2`, `${first}3`);
        await tail.catchUp();
      },
    });
    await assert.rejects(settled(publication), { code: 'not-ready' });
    assert.equal(await storedDirectory(), undefined);
    isBusy = false;
    const other = await sets.add();
    await settled(publicationOf(other), other);
    const shape = await settled(publication);
    assert.deepEqual(await settled(publicationOf(published)), shape);
  });

  it('cuts its pages by what it knows of the set, when the first request knows less', async () => {
    const resized = await sets.put({ ...published.set, pageEntries: 6, pagesSince: await sets.index.mark() });
    assert.deepEqual(await settled(publicationOf(resized), published), { [FIRST]: ['', 4] });
    assert.equal((await storedDirectory())?.body.pageEntries, 6);
  });

  describe('with keys so long that one document cannot contain all pages @long', () => {
    const long = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, at) => upsert(id(), `${prefix}${String(at).padStart(2_000, '0')}`));

    beforeEach(async () => {
      published = await sets.add({ pageEntries: 1 });
    });

    it('cuts larger pages at the first request', async () => {
      await commitAll(...long(3_400, 'a'));
      const shape = await settled(publicationOf(published));
      const entries = Object.values(shape).map(([, entries]) => entries);
      assert.ok(entries.length < 3_400, `${entries.length} pages`);
      assert.equal(Math.max(...entries), 2);
    });

    it('cuts all pages anew, and counts what is committed meanwhile', async () => {
      await commitAll(...long(3_000, 'a'));
      let late: number | undefined;
      const publication = publicationOf(published, {
        async happens(when) {
          if (surveys === 2 && when === 'before') [late] = await commitAll(upsert(id(), '0'));
        },
      });
      assert.equal(Object.keys(await settled(publication)).length, 3_000);
      await commitAll(...long(1_100, 'b'));
      const { through, pages } = await publication.settled(published.set, ({ through, pages }) => ({ through, pages }));
      assert.ok(pages.length < 4_100, `${pages.length} pages`);
      assert.equal(
        pages.reduce((sum, { entries }) => sum + entries, 0),
        4_101,
      );
      assert.ok(late !== undefined && through > late, 'the pages have no change that is later than their index');
    });
  });

  describe('when the catalog fails', () => {
    const failure = new TidemarkError('incompatible', 'the catalog is of a newer version');
    const failing = (method: 'get' | 'put') =>
      withAfter(sets.catalog, method, async () => {
        if (fails) throw failure;
      });
    let fails: boolean;
    beforeEach(() => {
      fails = true;
    });

    it('reports that to the request', async () => {
      await assert.rejects(settled(publicationOf(published, { catalog: failing('put') })), failure);
    });

    it('reports that at its end', async () => {
      fails = false;
      const publication = publicationOf(published, { catalog: failing('put') });
      await settled(publication);
      fails = true;
      await assert.rejects(publication.close(), failure);
    });
  });

  function commitAll(...events: readonly ChangeEvent[]) {
    return sets.commit(...events);
  }
});

/** The first key and the number of entries of each page. */
function shapeOf({ pages }: PageDirectory): Record<string, [from: string, entries: number]> {
  return Object.fromEntries(pages.map(({ name, from, entries }) => [name, [from, entries]]));
}
