import assert from 'node:assert/strict';
import { MIMETYPES, mimetypeOf, symbolOf } from '../../../src/artifacts/avro/mimetypes.ts';
import { decodeFile, encodeFile, originalRecords } from '../../support/avro-files.ts';

const [record] = originalRecords(1);

describe('MIME types in files', () => {
  it('A10: writes a slash as an underscore, and reads it as a slash', () => {
    assert.deepEqual(MIMETYPES.map(symbolOf), ['application_json', 'application_xml', 'text_turtle']);
    for (const mimetype of MIMETYPES) assert.equal(mimetypeOf(symbolOf(mimetype)), mimetype);
  });

  it('A10: writes no slash into a file', async () => {
    for (const mimetype of MIMETYPES) {
      const file = await encodeFile('OriginalRecord.v1', [{ ...record!, mimetype }], { codec: 'null' });
      assert.equal(file.includes('application/'), false);
      assert.deepEqual(await decodeFile('OriginalRecord.v1', file), [{ ...record, mimetype }]);
    }
  });

  for (const mimetype of [
    'text/html',
    'application_xml',
    'application/XML',
    'application/xml; charset=utf-8',
    '',
    null,
  ]) {
    it(`A11: refuses the mimetype ${JSON.stringify(mimetype)}, and names it, the record and what is allowed`, async () => {
      const records = [record!, { ...record!, id: 'wrong', mimetype: mimetype as never }];
      await assert.rejects(encodeFile('OriginalRecord.v1', records), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'invalid');
        assert.equal(
          error.message,
          `record 2 (id "wrong"): its mimetype is ${JSON.stringify(mimetype)}, and not application/json, application/xml, text/turtle`,
        );
        return true;
      });
    });
  }

  it('A11: refuses a symbol of no mimetype', () => {
    for (const symbol of ['application/xml', 'text_html', ''])
      assert.throws(() => mimetypeOf(symbol), /is not a mimetype/);
  });
});
