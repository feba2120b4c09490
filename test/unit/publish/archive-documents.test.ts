import assert from 'node:assert/strict';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { type ArchiveContent, planArchive, planArchivePart } from '../../../src/publish/archive-documents.ts';
import { setUris } from '../../../src/publish/documents.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';

const uris = setUris('https://example.org', 'maps');
const published: PublishedSet = {
  ...{ set: { id: 1, slug: 'maps', epochStart: 1 } as ResourceSet, baseUrl: 'https://example.org', uris },
  style: { urlPrefix: 'https://example.org/sets/maps/resources/', publishHashes: [] },
  ...{ folder: '1', fingerprint: 'abc' },
};

function contentOf(count: number): ArchiveContent {
  const entries = Array.from({ length: count }, (_, at) => ({
    ...{ uri: uris.changeWindow(String(at)), from: 2 * at + 1, until: 2 * at + 3 },
  }));
  const { changeListArchive: uri, changeListArchivePart: partUri } = uris;
  return { capability: 'changelist-archive', uri, partUri, entries };
}

describe('An archive of very many documents', () => {
  it('is one document of at most 50,000', () => {
    const { job, newest } = planArchive(published, contentOf(50_000)).task();
    assert.ok(job.kind === 'archive');
    assert.equal(job.document.entries.length, 50_000);
    assert.equal(newest, 100_000);
  });

  it('is an index over several, which link to it', () => {
    const { job } = planArchive(published, contentOf(50_001)).task();
    assert.deepEqual(job, {
      kind: 'archive-index',
      document: {
        capability: 'changelist-archive',
        capabilityList: uris.capabilityList,
        parts: ['00001', '00002'].map((part) => uris.changeListArchivePart(part)),
      },
    });
    const part = planArchivePart(published, contentOf(50_001), '00002').task().job;
    assert.ok(part.kind === 'archive');
    assert.equal(part.document.index, uris.changeListArchive);
    assert.deepEqual(part.document.entries, contentOf(50_001).entries.slice(-1));
  });

  it('has no other parts', () => {
    for (const name of ['00003', '00000', '2', '-0001', '']) {
      assert.throws(() => planArchivePart(published, contentOf(50_001), name), { code: 'not-found' });
    }
  });

  it('is its own first part when it is one document now', () => {
    const { job } = planArchivePart(published, contentOf(2), '00001').task();
    assert.ok(job.kind === 'archive');
    assert.equal(job.document.index, undefined);
  });

  it('is another version when its first document is another one', () => {
    const content = contentOf(3);
    const later = { ...content, entries: content.entries.slice(1) };
    assert.notDeepEqual(planArchive(published, content).reference, planArchive(published, later).reference);
  });
});
