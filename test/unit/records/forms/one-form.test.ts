import assert from 'node:assert/strict';
import { OneForm } from '../../../../src/records/forms/one-form.ts';
import type { RecordForm } from '../../../../src/records/forms/record-form.ts';
import { formOf } from '../../../../src/records/forms/record-forms.ts';

const marc = formOf('marc21')!;
const table: RecordForm = {
  ...marc,
  title: 'tables',
  records: { ...marc.records!, stored: { mime: 'text/csv', suffix: '.csv' } },
};
const form = () => new OneForm((kind) => (kind === 'table' ? table : formOf(kind)));
const file = (kind: string) => ({ path: ['given'], packing: [], kind, bytes: (async function* () {})() });

describe('The form of the records of an upload', () => {
  it('is that of its first file with records; a file with records in another one is refused', () => {
    const upload = form();
    assert.deepEqual([upload.admit(file('deleted-ids')).kind, upload.mime], ['deleted-ids', undefined]);
    assert.deepEqual([upload.admit(file('table')).kind, upload.mime], ['table', 'text/csv']);
    assert.deepEqual(
      [upload.admit(file('table')).kind, upload.admit(file('deleted-ids')).kind],
      ['table', 'deleted-ids'],
    );
    const { kind, reason } = upload.admit(file('marcxml'));
    assert.equal(kind, 'unknown');
    assert.match(reason!, /^it has records in MARC, and a file before it has records in tables: send it as an upload/);
    assert.equal(upload.mime, 'text/csv');
  });

  it('has all kinds of files that the form has', () => {
    const upload = form();
    assert.deepEqual(
      ['marc21', 'marcxml', 'unknown'].map((kind) => upload.admit(file(kind)).kind),
      ['marc21', 'marcxml', 'unknown'],
    );
    assert.equal(upload.mime, 'application/marc');
  });
});
