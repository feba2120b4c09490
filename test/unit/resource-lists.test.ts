import assert from 'node:assert/strict';
import { isTidemarkError } from '../../src/domain/errors.ts';
import { setUris } from '../../src/publisher/document-uris.ts';
import { PageDirectory } from '../../src/publisher/page-directory.ts';
import type { PublishedSet } from '../../src/publisher/publisher.ts';
import { planNamedPage, planResourceList } from '../../src/publisher/resource-lists.ts';
import { PieceCutter } from '../../src/stores/survey.ts';

const DAY = 24 * 60 * 60 * 1000;
const LIMITS = { entries: 6, weight: 1_000 };

const PUBLISHED: PublishedSet = {
  set: {
    id: 1,
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
    const { job } = after.making;
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

/** Over so many resources. */
function directoryOf(resources: number): PageDirectory {
  return PageDirectory.survey({ epoch: 1 }, surveyOf(resources, LIMITS.entries), LIMITS);
}

function surveyOf(resources: number, entries: number) {
  const cutter = new PieceCutter(undefined, { ...LIMITS, entries });
  for (let at = 0; at < resources; at++) cutter.add({ key: `/${at}`, stamp: 100 + 2 * at, weight: 20, live: true });
  return { through: 100 + 2 * resources, pieces: cutter.pieces() };
}
