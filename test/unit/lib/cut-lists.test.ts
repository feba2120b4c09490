import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { DifferenceList } from '../../../src/backup/verify/differences.ts';
import { RejectionList } from '../../../src/ingest/import-index/rejected-documents.ts';
import { PathScans } from '../../../src/sources/sync/path-scans.ts';
import { openScannedSet } from '../../support/scanned-set.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('A list that is cut', () => {
  const folder = useTempFolder();

  it('has the differences of a kind of which there are few beside those of a kind of which there are many', () => {
    const differences = new DifferenceList();
    for (let at = 0; at < 1_500; at++) differences.add({ kind: 'missing', key: `/${at}`, message: 'it is not there' });
    differences.add({ kind: 'state', key: '/a', message: 'it is another one' });
    const { total, byKind, first } = differences.result();
    assert.deepEqual([total, byKind, first.length], [1_501, { missing: 1_500, state: 1 }, 1_001]);
    assert.equal(first.at(-1)?.kind, 'state');
  });

  it('has the rejected documents of a code of which there are few beside those of a code of which there are many', () => {
    const rejections = new RejectionList();
    for (let at = 0; at < 1_500; at++) rejections.add({ index: 'i', id: `${at}` }, { code: 'bad-hash', message: '' });
    rejections.add({ index: 'i', id: 'a' }, { code: 'missing-field', message: '' });
    const { total, first } = rejections.result();
    assert.deepEqual([total, first.length, first.at(-1)?.code], [1_501, 1_001, 'missing-field']);
  });

  it('has the problems of all paths that were named, of which one scan has many @long', async () => {
    mkdirSync(folder.at('root'));
    const scanned = await openScannedSet(folder);
    try {
      const names = Array.from({ length: 1_100 }, (_, at) => `a\n${at}`);
      for (const name of names) writeFileSync(folder.at(`root/${name}`), '');
      const problems = await new PathScans(() => scanned).scan(scanned.set, names);
      assert.equal(problems.length, names.length);
    } finally {
      await scanned.close();
    }
  });
});
