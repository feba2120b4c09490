import assert from 'node:assert/strict';
import { DUMP_FILE_KINDS } from '../../../../src/records/dumps/stored-stream-dump.ts';
import {
  FILE_KINDS,
  FORMS,
  NORMALIZATIONS,
  normalizationOf,
  STORED,
  storedAs,
} from '../../../../src/records/forms/record-forms.ts';

describe('The list of forms', () => {
  it('has each kind of file, of dump and of normalization, and each media type, once', () => {
    const mimes = STORED.map(({ stored }) => stored.mime);
    const kinds = NORMALIZATIONS.map(({ kind }) => kind);
    for (const names of [FILE_KINDS, DUMP_FILE_KINDS, mimes, kinds]) assert.equal(new Set(names).size, names.length);
  });

  it('has different suffixes for the representations of a record', () => {
    for (const { stored, rendered } of STORED) {
      const suffixes = [stored, ...rendered].map(({ suffix }) => suffix);
      assert.equal(new Set(suffixes).size, suffixes.length);
    }
  });

  it('ends with those that are asked last', () => {
    const asked = FORMS.map(({ isLastResort }) => isLastResort === true);
    assert.deepEqual(asked, asked.toSorted());
  });

  it('says what it does not have', () => {
    assert.throws(() => storedAs('text/x-unknown'), { code: 'unavailable', message: /text\/x-unknown/ });
    assert.throws(() => normalizationOf('other'), { code: 'invalid', message: /"other"/ });
  });
});
