import assert from 'node:assert/strict';
import { isTidemarkError } from '../../../src/core/errors.ts';
import type { DocumentPlan } from '../../../src/publish/document-plan.ts';
import { setUris } from '../../../src/publish/documents.ts';
import { PageDirectory } from '../../../src/publish/pages/page-directory.ts';
import type { Page, StoredDirectory } from '../../../src/publish/pages/stored-directory.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';
import { planNamedPage, planPages, planResourceList } from '../../../src/publish/resource-lists.ts';
import { PieceCutter } from '../../../src/stores/survey.ts';

const DAY = 24 * 60 * 60 * 1000;
const LIMITS = { entries: 6, weight: 1_000 };

const PUBLISHED: PublishedSet = {
  set: {
    id: 1,
    origin: { kind: 'posted' },
    slug: 'maps',
    urlPrefix: 'https://maps.example.org/',
    epoch: 1,
    epochStart: 1,
    ready: true,
    publishHashes: [],
    exclude: [],
    pageEntries: LIMITS.entries,
    windowChanges: 100,
  },
  baseUrl: 'https://data.example.org',
  uris: setUris('https://data.example.org', 'maps'),
  style: { urlPrefix: 'https://maps.example.org/', publishHashes: [] },
  folder: '1',
  fingerprint: 'settings',
};

describe('The Resource List of a set with several pages', () => {
  it('is another document as soon as it has other pages, also when nothing has changed since', () => {
    const directory = directoryOf(10);
    const before = planResourceList(PUBLISHED, directory);
    directory.split(directory.pages[0]!.name, surveyOf(5, 2), Date.now());
    const after = planResourceList(PUBLISHED, directory);
    assert.equal(after.reference.version, before.reference.version, 'nothing has changed');
    assert.notDeepEqual(after.reference, before.reference);
    const { job } = after.task();
    assert.ok(job.kind === 'resource-list-index');
    assert.deepEqual(
      job.document.pages.map(({ uri }) => uri),
      directory.pages.map(({ name }) => PUBLISHED.uris.resourcePage(name)),
    );
  });

  it('serves the name of a page that was split for a day, and answers "gone" from then on', () => {
    const directory = directoryOf(10);
    const { name } = directory.pages[0]!;
    directory.split(name, surveyOf(5, 2), Date.now() - DAY + 60_000);
    assert.equal(planNamedPage(PUBLISHED, directory, name).reference.name, `resourcelist-${name}-retired`);

    const later = directoryOf(10);
    later.split(name, surveyOf(5, 2), Date.now() - DAY);
    assert.throws(
      () => planNamedPage(PUBLISHED, later, name),
      (error) => isTidemarkError(error, 'gone'),
    );
  });
});

const EPOCH_START = 1_001;
const { set, uris, style } = { ...PUBLISHED, set: { ...PUBLISHED.set, epochStart: EPOCH_START } };
const SINCE_START: PublishedSet = { ...PUBLISHED, set };
const JOB = { kind: 'resource-page', set: set.id, style };
const { capabilityList, resourceList: index } = uris;

describe('The plan of a page', () => {
  const reference = { folder: '1', fingerprint: 'settings' };

  it('that is the only one is a plan of the list itself', () => {
    const directory = stored({ pages: [page(1, 2_000)] });
    const plan = {
      reference: { ...reference, name: 'resourcelist', version: 2_000 },
      task: { newest: 2_000, job: { ...JOB, range: {}, head: { at: 2_001, capabilityList } } },
    };
    assert.deepEqual(made(planResourceList(SINCE_START, directory)), plan);
    const [only, ...more] = planPages(SINCE_START, directory);
    assert.deepEqual([only!.page, made(only!.plan), more], [page(1, 2_000), plan, []]);
  });

  it('without a change in this epoch is of the start of the epoch', () => {
    const plan = planResourceList(SINCE_START, stored({ pages: [page(1, 0)] }));
    const { job, newest } = plan.task();
    assert.ok(job.kind === 'resource-page');
    assert.deepEqual([job.head.at, newest, plan.reference.version], [EPOCH_START, EPOCH_START - 1, 0]);
  });

  it('beside others links to the index, and ends where the next one begins', () => {
    const directory = stored({ pages: [page(1, 2_000), page(2, 0, '/m')] });
    const planOf = (number: number, version: number, range: object) => ({
      reference: { ...reference, name: `resourcelist-1-0000000${number}`, version },
      task: {
        newest: Math.max(version, EPOCH_START - 1),
        job: { ...JOB, range, head: { at: Math.max(version + 1, EPOCH_START), capabilityList, index } },
      },
    });
    const plans = [planOf(1, 2_000, { from: '', to: '/m' }), planOf(2, 0, { from: '/m', to: undefined })];
    assert.deepEqual(
      planPages(SINCE_START, directory).map(({ plan }) => made(plan)),
      plans,
    );
    assert.deepEqual(made(planNamedPage(SINCE_START, directory, '1-00000002')), plans[1]);
  });

  it('that was split contains what was created while it was within its limits', () => {
    const retired = [retiredPage(1, 1_501, Date.now()), retiredPage(2, 501, Date.now())];
    const directory = stored({ pages: [page(3, 2_000)], retired });
    const planOf = (number: number, through: number, at: number) => ({
      reference: { ...reference, name: `resourcelist-1-0000000${number}-retired`, version: through },
      task: {
        newest: at - 1,
        job: {
          ...JOB,
          range: { from: `/${number}`, to: `/${number + 1}` },
          createdBefore: through,
          head: { at, capabilityList, index },
        },
      },
    });
    assert.deepEqual(made(planNamedPage(SINCE_START, directory, '1-00000001')), planOf(1, 1_501, 1_501));
    assert.deepEqual(made(planNamedPage(SINCE_START, directory, '1-00000002')), planOf(2, 501, EPOCH_START));
  });

  it('that is known no longer is refused as gone, and one that never was as not found', () => {
    const directory = stored({ pages: [page(3, 2_000)], lastNumber: 5 });
    for (const name of ['1-00000001', '1-00000005']) {
      assert.throws(() => planNamedPage(PUBLISHED, directory, name), { code: 'gone', details: { name } });
    }
    for (const name of ['1-00000000', '1-00000006']) {
      assert.throws(() => planNamedPage(PUBLISHED, directory, name), { code: 'not-found', details: { name } });
    }
  });
});

describe('The plan of an index', () => {
  it('has the time of the newest page, and of each page its own', () => {
    const directory = stored({ pages: [page(1, 2_000), page(2, 3_000, '/m'), page(3, 0, '/n')] });
    const { reference, task } = made(planResourceList(SINCE_START, directory));
    const pages = [
      { uri: uris.resourcePage('1-00000001'), at: 2_001 },
      { uri: uris.resourcePage('1-00000002'), at: 3_001 },
      { uri: uris.resourcePage('1-00000003'), at: EPOCH_START },
    ];
    assert.deepEqual(task, {
      newest: 3_000,
      job: { kind: 'resource-list-index', document: { at: 3_001, capabilityList, pages } },
    });
    assert.deepEqual([reference.name, reference.version, reference.folder], ['resourcelist', 3_000, '1']);
  });
});

/** A plan, and what it makes. */
function made({ reference, task }: DocumentPlan) {
  return { reference, task: task() };
}

function stored(given: Partial<StoredDirectory> & Pick<StoredDirectory, 'pages'>): PageDirectory {
  return new PageDirectory({ epoch: 1, through: 3_001, lastNumber: 3, retired: [], ...given }, LIMITS);
}

function page(number: number, version: number, from = ''): Page {
  return { name: `1-0000000${number}`, from, entries: 2, weight: 40, version, high: `${from}/z`, counted: 3_001 };
}

function retiredPage(number: number, through: number, retired: number) {
  return { name: `1-0000000${number}`, from: `/${number}`, to: `/${number + 1}`, through, retired };
}

/** Over so many resources. */
function directoryOf(resources: number): PageDirectory {
  return PageDirectory.survey({ epoch: 1 }, surveyOf(resources, LIMITS.entries), LIMITS);
}

function surveyOf(resources: number, entries: number) {
  const cutter = new PieceCutter(undefined, { ...LIMITS, entries });
  for (let at = 0; at < resources; at++) cutter.add({ key: `/${at}`, stamp: 100 + 2 * at, weight: 20, live: true });
  return { through: 100 + 2 * resources, pieces: cutter.pieces() };
}
