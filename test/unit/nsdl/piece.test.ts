import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isWholePiece, parsePieceHeader, parsePieceName, pieceName, pieceText } from '../../../src/nsdl/piece.ts';
import { toNsdlDc } from '../../../src/records/transforms/nsdl-dc.ts';
import { itWithXmllint } from '../../support/xsd.ts';

const SCHEMA = join(import.meta.dirname, '../../../schemas/db-insert.xsd');
const OAI_DC =
  '<o:dc xmlns:o="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Wien</dc:title></o:dc>';

const HEADER = { collectionNA: '2200/1', uuid: 'a-1', runType: 'full_reharvest', pieces: 3, piece: 2 };

const foreign = (changes: Readonly<Record<string, string | number>>): string => {
  const values = Object.entries({ ...HEADER, ...changes }).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<?xml version="1.0"?>\n<!-- a --><dbInsert><header>${values.join('\n')}</header><item>`;
};

describe('a dbInsert file', () => {
  it('has a header that says which piece of which harvest it is', () => {
    const text = [...pieceText(HEADER, [{ identifier: 'oai:a&b', datestamp: '2020-01-01' }])].join('');
    assert.deepEqual(parsePieceHeader(text), HEADER);
    assert.match(text, /<identifier>oai:a&amp;b<\/identifier>\s*<datestamp>2020-01-01<\/datestamp>\s*<status>deleted</);
    assert.ok(isWholePiece(text));
    assert.ok(!isWholePiece(text.slice(0, -3)));
  });

  it('may have any namespace, and end behind what was read of it', () => {
    assert.deepEqual(parsePieceHeader(foreign({})), HEADER);
    const prefixed = foreign({}).replaceAll(/<(\/?)(?=[a-z])/gi, '<$1d:');
    assert.deepEqual(parsePieceHeader(prefixed.replace('dbInsert>', 'dbInsert xmlns:d="urn:x">')), HEADER);
  });

  it('is refused with a header that contradicts itself', () => {
    assert.throws(() => parsePieceHeader(foreign({ piece: 4 })), /piece 4 of 3/);
    assert.throws(() => parsePieceHeader(foreign({ pieces: 0 })), /its pieces is "0"/);
    assert.throws(() => parsePieceHeader(foreign({ uuid: '../x' })), /its uuid is/);
    assert.throws(() => parsePieceHeader(foreign({ collectionNA: '' })), /no collectionNA/);
    assert.throws(() => parsePieceHeader('<html/>'), /not a dbInsert file/);
  });

  itWithXmllint('is valid by the schema that we publish', () => {
    const content = { format: 'oai_dc', native: OAI_DC, nsdlDc: toNsdlDc(OAI_DC) };
    const items = [
      { identifier: 'oai:1', datestamp: '2020-01-01T00:00:00Z', content },
      { identifier: 'oai:2', datestamp: '2020-01-01' },
    ];
    const input = [...pieceText(HEADER, items)].join('');
    const { stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', SCHEMA, '-'], {
      input,
      encoding: 'utf8',
    });
    assert.equal(stderr, '- validates\n');
  });

  it('is named by uuid and number', () => {
    assert.equal(pieceName(HEADER), 'a-1_000002.dbinsert.xml');
    assert.deepEqual(parsePieceName(pieceName(HEADER)), { uuid: 'a-1', piece: 2 });
    assert.equal(parsePieceName('other.dbinsert.xml'), undefined);
  });
});
