import assert from 'node:assert/strict';
import { readHeader } from '../../../src/artifacts/avro/container-reader.ts';
import { docText } from '../../../src/artifacts/avro/doc-text.ts';
import { softwareVersion } from '../../../src/config/version.ts';
import { chunks, decodeFile, encodeFile } from '../../support/avro-files.ts';

const HARVEST = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
const MAPPING = 'cdl/mapping/20170210/20170210_090000-cdl-MAP.4_0.MAPRecord.v1.avro';
const software = `tidemark ${softwareVersion()}`;

describe('the doc of a file', () => {
  it('A03, A05: names the harvested records that a mapping derives from, and the version that wrote it', () => {
    assert.equal(
      docText({ activity: 'mapping', provider: 'cdl', generator: HARVEST, software }),
      `mapping of cdl, derived from ${HARVEST}; written by tidemark ${softwareVersion()}`,
    );
  });

  it('A04: names the mapped records that an enrichment derives from', () => {
    assert.match(
      docText({ activity: 'enrichment', provider: 'cdl', generator: MAPPING, software }),
      new RegExp(MAPPING),
    );
  });

  it('A02: is in the header of the file', async () => {
    const doc = docText({ activity: 'mapping', provider: 'cdl', generator: HARVEST, software });
    const file = await encodeFile('MAP.4_0.MAPRecord.v1', [{ id: 'a', document: '<> a <b> .' }], { doc });
    assert.equal((await readHeader(chunks(file), { name: 'a file' })).doc, doc);
  });

  it('A01: may be missing', async () => {
    const file = await encodeFile('MAP.4_0.MAPRecord.v1', [{ id: 'a', document: '<> a <b> .' }]);
    assert.equal((await readHeader(chunks(file), { name: 'a file' })).doc, undefined);
    assert.equal((await decodeFile('MAP.4_0.MAPRecord.v1', file)).length, 1);
  });
});
