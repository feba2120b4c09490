import assert from 'node:assert/strict';
import { chooseStrategy, WEB_LIMITS } from '../../../src/datasets/choose-strategy.ts';
import type { PlatformFile } from '../../../src/datasets/manifest.ts';
import type { PlatformDataset } from '../../../src/datasets/platform.ts';

const GIB = 1_073_741_824;
const LARGEST = 134_217_728;

type Chosen = Pick<PlatformDataset, 'files' | 'bundle' | 'isArchiveorgItem'>;

function dataset(sizes: readonly (number | undefined)[], others: Partial<Chosen> = {}): Chosen {
  const files = sizes.map((size, at): PlatformFile => {
    return { path: `${at}`, hashes: [], platformUrl: `https://x.example/${at}`, ...(size !== undefined && { size }) };
  });
  return { files, ...others };
}

const of = (count: number, size = 1): readonly number[] => Array.from({ length: count }, () => size);
const BUNDLE = { url: 'https://x.example/all', name: 'all.zip', mimetype: 'application/zip' };
const ITEM = { isArchiveorgItem: true };
const onlyInBundle = ({ files }: Chosen): Chosen => ({
  files: files.map(({ platformUrl: _, ...file }) => file),
  bundle: BUNDLE,
});

const TABLE = [
  ['one file (D08)', dataset([1]), 'web-file'],
  ['one file of no stated size', dataset([undefined]), 'web-file'],
  ['one empty file', dataset([0]), 'web-file'],
  ['one file of 128 MiB (D19, d1)', dataset([LARGEST]), 'web-file'],
  ['one file of a byte more (D11, D19)', dataset([LARGEST + 1]), 'archiveorg-file'],
  ['two files (D09)', dataset(of(2)), 'web-fileset'],
  ['20 files (D17)', dataset(of(20)), 'web-fileset'],
  ['21 files (D12, D17)', dataset(of(21)), 'archiveorg-fileset'],
  ['21 files of no stated size', dataset(Array.from({ length: 21 })), 'archiveorg-fileset'],
  ['8 files, together 1 GiB (D18, d1)', dataset(of(8, LARGEST)), 'web-fileset'],
  ['9 files, together a byte more (D18)', dataset([...of(8, LARGEST), 1]), 'archiveorg-fileset'],
  ['two files, one of them of a byte more than 128 MiB (D19)', dataset([1, LARGEST + 1]), 'archiveorg-fileset'],
  ['one file, which is an item of archive.org (D52, d15)', dataset([1], ITEM), 'archiveorg-file'],
  ['two files, which are an item of archive.org (D52, d15)', dataset(of(2), ITEM), 'archiveorg-fileset'],
  ['two files, and a bundle that was not asked for (d16)', dataset(of(2), { bundle: BUNDLE }), 'web-fileset'],
  ['two files that are only in a bundle (D10, d16)', onlyInBundle(dataset(of(2))), 'web-fileset-bundled'],
  ['one file that is only in a bundle', onlyInBundle(dataset([1])), 'web-fileset-bundled'],
  ['21 files that are only in a bundle (D13)', onlyInBundle(dataset(of(21))), 'archiveorg-fileset-bundled'],
] as const;

const BUNDLED = [
  ['two files and a bundle (D10)', dataset(of(2), { bundle: BUNDLE }), 'web-fileset-bundled'],
  ['21 files and a bundle (D13)', dataset(of(21), { bundle: BUNDLE }), 'archiveorg-fileset-bundled'],
  ['files of 1 GiB and a byte, and a bundle', dataset([GIB, 1], { bundle: BUNDLE }), 'archiveorg-fileset-bundled'],
  ['two files and no bundle', dataset(of(2)), 'web-fileset'],
  ['an item with a bundle', dataset(of(2), { bundle: BUNDLE, ...ITEM }), 'archiveorg-fileset-bundled'],
] as const;

describe('the strategy of a dataset', () => {
  for (const [title, chosen, strategy] of TABLE) {
    it(`of ${title} is ${strategy} (D03, D05, D06)`, () => {
      assert.equal(chooseStrategy(chosen, { bundled: false, limits: WEB_LIMITS }), strategy);
    });
  }

  for (const [title, chosen, strategy] of BUNDLED) {
    it(`of ${title} is ${strategy}, when the bundle is asked for (d16)`, () => {
      assert.equal(chooseStrategy(chosen, { bundled: true, limits: WEB_LIMITS }), strategy);
    });
  }

  it('follows other limits (d1)', () => {
    const limits = { files: 1, totalBytes: 10, fileBytes: 9 };
    const chosen = [[9], [10], [1, 1]].map((sizes) => chooseStrategy(dataset(sizes), { bundled: false, limits }));
    assert.deepEqual(chosen, ['web-file', 'archiveorg-file', 'archiveorg-fileset']);
  });
});
