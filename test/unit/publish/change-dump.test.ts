import assert from 'node:assert/strict';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import {
  archivedChangeDumps,
  planArchivedChangeDump,
  planChangeDump,
  planChangeDumpPart,
} from '../../../src/publish/change-dump.ts';
import { setUris } from '../../../src/publish/documents.ts';
import type { ChangePackage } from '../../../src/publish/dumps/stored-change-dump.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';
import { render } from '../../../src/publish/render/render-job.ts';
import { itWithXmllint, schemaErrors } from '../../support/xsd.ts';

const MOST = 50_000;
const uris = setUris('https://example.org', 'maps');
const published: PublishedSet = {
  ...{ set: { id: 1, slug: 'maps' } as ResourceSet, baseUrl: 'https://example.org', uris },
  style: { urlPrefix: 'https://example.org/sets/maps/resources/', publishHashes: [] },
  ...{ folder: '1', fingerprint: 'abc' },
};

const MANY = madePackages(MOST + 2);

/** Two packages for each window. */
function packagesOf(count: number): readonly ChangePackage[] {
  return MANY.slice(0, count);
}

function madePackages(count: number, chance = '00000000'): readonly ChangePackage[] {
  return Array.from({ length: count }, (_, at) => {
    const window = String(Math.floor(at / 2)).padStart(8, '0');
    const facts = { changes: 1, length: 10, sha256: 'f'.repeat(64), manifest: { offset: 0, packed: 1, length: 1 } };
    return {
      name: `1-${window}-${at % 2}-${chance}`,
      from: 2 * at + 1,
      until: 2 * at + 3,
      completed: 500_000,
      ...facts,
    };
  });
}

function jobOf(plan: ReturnType<typeof planChangeDump>) {
  const { job } = plan.task();
  assert.ok(job.kind === 'change-dump' || job.kind === 'change-dump-index');
  return job;
}

async function textOf(plan: ReturnType<typeof planChangeDump>): Promise<string> {
  let text = '';
  for await (const part of render(plan.task().job, undefined as never)) text += part;
  return text;
}

describe('A Change Dump of very many packages', () => {
  it('is one document of at most 50,000, without an end', () => {
    const job = jobOf(planChangeDump(published, packagesOf(MOST)));
    assert.ok(job.kind === 'change-dump');
    assert.equal(job.document.packages.length, MOST);
    assert.deepEqual([job.document.until, job.document.index], [undefined, undefined]);
    assert.equal(job.document.archives, uris.changeDumpArchive);
  });

  it('is an index over several, of which only the last takes more packages', () => {
    assert.deepEqual(jobOf(planChangeDump(published, packagesOf(MOST + 1))), {
      kind: 'change-dump-index',
      document: {
        ...{ from: 1, capabilityList: uris.capabilityList, archives: uris.changeDumpArchive },
        parts: [
          { uri: 'https://example.org/sets/maps/changedump-00001.xml', from: 1, until: 2 * MOST + 1 },
          { uri: 'https://example.org/sets/maps/changedump-00002.xml', from: 2 * MOST + 1 },
        ],
      },
    });
  });

  it('has parts that link to the index, and have the times that it says', () => {
    const [first, second] = ['00001', '00002'].map((name) => {
      const job = jobOf(planChangeDumpPart(published, packagesOf(MOST + 1), name));
      assert.ok(job.kind === 'change-dump');
      const { from, until, index, archives, packages } = job.document;
      return { from, until, index, archives, count: packages.length };
    });
    const links = { index: uris.changeDump, archives: undefined };
    assert.deepEqual(first, { from: 1, until: 2 * MOST + 1, ...links, count: MOST });
    assert.deepEqual(second, { from: 2 * MOST + 1, until: undefined, ...links, count: 1 });
  });

  it('keeps a part that is full as it was when packages are added', () => {
    const [before, after] = [MOST + 1, MOST + 2].map((count) => {
      return planChangeDumpPart(published, packagesOf(count), '00001').reference;
    });
    assert.deepEqual(before, after);
  });

  it('has no other parts', () => {
    for (const name of ['00003', '00000', '2', '']) {
      assert.throws(() => planChangeDumpPart(published, packagesOf(MOST + 1), name), { code: 'not-found' });
    }
  });

  it('is its own first part when it is one document now', () => {
    const part = jobOf(planChangeDumpPart(published, packagesOf(2), '00001'));
    assert.ok(part.kind === 'change-dump');
    assert.equal(part.document.index, undefined);
  });

  it('is another version when its packages were built again', () => {
    const [one, other] = ['00000000', '11111111'].map((chance) => planChangeDump(published, madePackages(2, chance)));
    assert.notDeepEqual(one!.reference, other!.reference);
  });

  it('has every window in its archive, with all packages', () => {
    const packages = packagesOf(MOST + 2);
    const { entries } = archivedChangeDumps(published, packages);
    assert.equal(entries.length, MOST / 2 + 1);
    assert.deepEqual(entries[1], { uri: uris.archivedChangeDump('1-00000001'), from: 5, until: 9 });
    const job = jobOf(planArchivedChangeDump(published, packages, '1-00000001'));
    assert.ok(job.kind === 'change-dump');
    assert.deepEqual([job.document.from, job.document.until, job.document.packages.length], [5, 9, 2]);
  });

  itWithXmllint('is valid by our schemas, the index and its parts', async () => {
    const packages = packagesOf(MOST + 1);
    const plans = [planChangeDump(published, packages), planChangeDumpPart(published, packages, '00002')];
    for (const plan of plans) assert.deepEqual(schemaErrors(await textOf(plan)), []);
    assert.match(
      await textOf(plans[0]!),
      /<sitemapindex .*<rs:ln rel="archives".*<rs:md capability="changedump" from=/s,
    );
  });
});
