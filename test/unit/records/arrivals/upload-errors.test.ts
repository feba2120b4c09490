import assert from 'node:assert/strict';
import type { ArtifactStore } from '../../../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../../../src/artifacts/open-artifacts.ts';
import { readErrata } from '../../../../src/records/arrivals/upload-errors.ts';
import type { UploadErratum } from '../../../../src/records/arrivals/upload-state.ts';
import { useTempFolder } from '../../../support/temp-folder.ts';

const KEY = '_streams/lane/main/000000001/0123456789abcdef0123456789abcdef.errata';

describe('the errata of an upload', () => {
  const folder = useTempFolder();
  let artifacts: ArtifactStore;

  beforeEach(() => {
    artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
  });
  afterEach(() => artifacts.close());

  async function put(reasons: readonly string[]): Promise<readonly UploadErratum[]> {
    const errata = reasons.map((reason, at) => ({ file: 1, path: ['a.mrc'], ordinal: at + 1, offset: at, reason }));
    await artifacts.put(KEY, [Buffer.from(errata.map((erratum) => `${JSON.stringify(erratum)}\n`).join(''))]);
    return errata;
  }

  for (const limit of [1, 2, 50]) {
    it(`are read page by page, ${limit} each, however long a line is`, async () => {
      const long = ['x'.repeat(70_000), 'y'.repeat(1_100_000)];
      const errata = await put(['short', ...long, 'short', long[0]!, 'last']);
      const found: UploadErratum[] = [];
      for (let at: number | undefined = 0; at !== undefined; ) {
        const page = await readErrata(artifacts, KEY, { at, limit });
        assert.ok(page.errata.length > 0 && page.errata.length <= limit);
        found.push(...page.errata);
        at = page.next;
      }
      assert.deepEqual(found, errata);
    });
  }
});
