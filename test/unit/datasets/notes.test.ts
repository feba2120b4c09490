import assert from 'node:assert/strict';
import { describeFiles } from '../../../src/cli/commands/datasets/describe-dataset.ts';
import { planText } from '../../../src/cli/commands/datasets/plan-datasets.ts';
import { manifestOf } from '../../../src/datasets/result-of.ts';

const NOTE = '4 files of the item are left out';
const FILE = { path: 'a.csv', size: 10, hashes: [] };
const dataset = {
  platformName: 'archiveorg',
  platformDomain: 'archive.org',
  platformId: 'item',
  landingUrl: 'https://archive.org/details/item',
  files: [FILE],
  notes: [NOTE],
  archiveorgMetadata: {},
};

describe('notes of a dataset', () => {
  it('are in its manifest, in its plan, and after its list of files', () => {
    const landing = { url: dataset.landingUrl, dt: '20260101000000', statusCode: 200 };
    const found = { landing, dataset, strategy: 'archiveorg-file' } as unknown as Parameters<typeof manifestOf>[0];
    const files = [{ path: 'a.csv', status: 'mismatch-md5', message: 'a.csv has another md5' }] as const;
    const { notes } = manifestOf(found, { status: 'success', files });
    assert.deepEqual(notes, [NOTE]);
    const plan = planText(dataset.landingUrl, { dataset, strategy: 'archiveorg-file', totalSize: 10 });
    assert.equal(plan.split('\n').at(-1), NOTE);
    assert.deepEqual(describeFiles(files, notes).split('\n').slice(-2), ['a.csv has another md5', NOTE]);
  });
});
