import assert from 'node:assert/strict';
import type { ArtifactStore } from '../../../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../../../src/artifacts/open-artifacts.ts';
import type { Erratum } from '../../../../src/records/errata/erratum.ts';
import { readErrata } from '../../../../src/records/errata/read-errata.ts';
import { useTempFolder } from '../../../support/temp-folder.ts';

const KEY = '_streams/lane/main/000000001/0123456789abcdef0123456789abcdef.errata';

describe('the errata of a delivery', () => {
  const folder = useTempFolder();
  let artifacts: ArtifactStore;

  beforeEach(() => {
    artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
  });
  afterEach(() => artifacts.close());

  async function put(reasons: readonly string[]): Promise<readonly Erratum[]> {
    const errata = reasons.map((reason, at) => ({ file: 1, path: ['a.mrc'], ordinal: at + 1, offset: at, reason }));
    await artifacts.put(KEY, [Buffer.from(errata.map((erratum) => `${JSON.stringify(erratum)}\n`).join(''))]);
    return errata;
  }

  it('are read of files of uploads, and of those of activities, which have a message', async () => {
    const upload = '{"file":1,"path":["a.zip","b.mrc"],"ordinal":3,"offset":99,"id":"x","reason":"it has no leader"}';
    const warning =
      '{"file":1,"path":["a.mrc"],"ordinal":4,"offset":9,"reason":"one field was left out","warning":true}';
    const activity = '{"id":"x","line":2,"kind":"mimetype","message":"it is odd"}';
    await artifacts.put(KEY, [Buffer.from([upload, warning, activity, ''].join('\n'))]);

    const page = await readErrata(artifacts, KEY, { at: 0, limit: 10 });

    assert.deepEqual(page.errata, [
      JSON.parse(upload),
      JSON.parse(warning),
      { id: 'x', line: 2, kind: 'mimetype', reason: 'it is odd' },
    ]);
  });

  for (const limit of [1, 2, 50]) {
    it(`are read page by page, ${limit} each, however long a line is`, async () => {
      const long = ['x'.repeat(70_000), 'y'.repeat(1_100_000)];
      const errata = await put(['short', ...long, 'short', long[0]!, 'last']);
      const found: Erratum[] = [];
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
