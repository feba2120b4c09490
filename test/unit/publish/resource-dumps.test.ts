import assert from 'node:assert/strict';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { setUris } from '../../../src/publish/documents.ts';
import type { Dump, Package } from '../../../src/publish/dumps/stored-dump.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';
import { planDumpPart, planResourceDump } from '../../../src/publish/resource-dumps.ts';

const published: PublishedSet = {
  set: { id: 1, slug: 'maps' } as ResourceSet,
  baseUrl: 'https://example.org',
  uris: setUris('https://example.org', 'maps'),
  style: { urlPrefix: 'https://example.org/sets/maps/resources/', publishHashes: [] },
  folder: '1',
  fingerprint: 'abc',
};

function dumpOf(count: number): Dump {
  const packages = Array.from({ length: count }, (_, at) => packageOf(at));
  return { epoch: 1, at: 101, completed: 202, packages };
}

function packageOf(at: number): Package {
  const manifest = { offset: 0, packed: 1, length: 1 };
  const facts = { version: 2 * at, fingerprint: 'abc', completed: 202, resources: 1, missing: 0, length: 10 };
  return { name: `1-${at}-2-1-00000000`, page: '1-00000001', at: at + 1, sha256: 'ff', manifest, ...facts };
}

function jobOf(plan: ReturnType<typeof planResourceDump>) {
  const { job } = plan.task();
  assert.ok(job.kind === 'resource-dump' || job.kind === 'resource-dump-index');
  return job;
}

describe('A Resource Dump of very many packages', () => {
  it('is one document of at most 50,000', () => {
    const job = jobOf(planResourceDump(published, dumpOf(50_000)));
    assert.ok(job.kind === 'resource-dump');
    assert.equal(job.document.packages.length, 50_000);
    assert.equal(job.document.index, undefined);
  });

  it('is an index over several, each of which names the newest time of its packages', () => {
    const job = jobOf(planResourceDump(published, dumpOf(50_001)));
    assert.ok(job.kind === 'resource-dump-index');
    assert.deepEqual(job.document.parts, [
      { uri: 'https://example.org/sets/maps/resourcedump-00001.xml', at: 50_000 },
      { uri: 'https://example.org/sets/maps/resourcedump-00002.xml', at: 50_001 },
    ]);
  });

  it('has parts that link to the index', () => {
    const job = jobOf(planDumpPart(published, dumpOf(50_001), '00002'));
    assert.ok(job.kind === 'resource-dump');
    assert.equal(job.document.index, 'https://example.org/sets/maps/resourcedump.xml');
    assert.deepEqual(
      job.document.packages.map(({ uri }) => uri),
      ['https://example.org/sets/maps/dumps/1-50000-2-1-00000000.zip'],
    );
  });

  it('has no other parts', () => {
    for (const name of ['00003', '00000', '2', '']) {
      assert.throws(() => planDumpPart(published, dumpOf(50_001), name), { code: 'not-found' });
    }
  });

  it('is its own first part when it is one document now', () => {
    const part = jobOf(planDumpPart(published, dumpOf(2), '00001'));
    assert.ok(part.kind === 'resource-dump');
    assert.equal(part.document.packages.length, 2);
  });

  it('is another version when it was completed at another time', () => {
    const [one, other] = [dumpOf(2), { ...dumpOf(2), completed: 204 }].map((dump) => planResourceDump(published, dump));
    assert.notDeepEqual(one!.reference, other!.reference);
  });
});
