import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setSettingsOf } from '../../../src/config/set/set-settings.ts';
import { DATASET_STATUSES, OF_FILES } from '../../../src/datasets/status.ts';
import { JOB_DEFINITIONS } from '../../../src/jobs/job-list.ts';

/** The names in the first column of a table of a page. */
function namesIn(page: string, header: string): readonly string[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const [, table = ''] = text.split(`\n${header}\n`);
  const [rows = ''] = table.split('\n\n');
  return rows.split('\n').flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
}

describe('Tables in docs/ that are written by hand', () => {
  it('have every kind of job', () => {
    const kinds = JOB_DEFINITIONS.map(({ kind }) => kind);
    assert.deepEqual([...namesIn('operating.md', '| kind | what it does | when |')].sort(), kinds.sort());
  });

  it('have the effect of every setting of a set that can be changed', () => {
    const settings = [...setSettingsOf('sets change')];
    assert.deepEqual([...namesIn('configuration.md', '| setting | effect |')].sort(), settings.sort());
  });

  it('have every status of datasets and of files, with what to do about it (d7)', () => {
    const ofDatasets = namesIn('datasets.md', '| status | what happened | what to do |');
    assert.deepEqual([...ofDatasets].sort(), [...DATASET_STATUSES].sort());
    const ofFiles = namesIn('datasets.md', '| status | meaning |');
    assert.deepEqual([...ofFiles].sort(), [...OF_FILES].sort());
  });
});
