import assert from 'node:assert/strict';
import { byListedKind, DOCUMENT_KINDS, DOCUMENTS, documentKey, documentUri } from '../../../src/publish/documents.ts';

const BASE_URL = 'https://data.example.org/source';
const FIELDS = { set: 'maps', name: '1-00000001', part: '00001', time: '20261123T020000123457Z' };

describe('the table of documents', () => {
  const patterns = DOCUMENT_KINDS.map((kind) => ({
    kind,
    pattern: new RegExp(`^${DOCUMENTS[kind].path.replaceAll('.', '\\.').replace(/:[a-z]+/g, '[^/]+')}$`),
  }));

  for (const kind of DOCUMENT_KINDS) {
    it(`leads from the address of ${kind} to its row`, () => {
      const uri = documentUri(BASE_URL, documentKey(kind, FIELDS));
      assert.ok(uri.startsWith(`${BASE_URL}/`) && !uri.includes('/:'), uri);
      const path = uri.slice(BASE_URL.length);
      assert.equal(patterns.find(({ pattern }) => pattern.test(path))?.kind, kind);
    });
  }

  it('names each operation once', () => {
    const ids = DOCUMENT_KINDS.map((kind) => DOCUMENTS[kind].operation.id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('lists what a set has one of', () => {
    assert.deepEqual(
      byListedKind((kind) => documentUri('', { kind, set: 'maps' })),
      {
        capabilityList: '/sets/maps/capabilitylist.xml',
        resourceList: '/sets/maps/resourcelist.xml',
        changeList: '/sets/maps/changelist.xml',
        recentChanges: '/sets/maps/changelist-recent.xml',
        changeListArchive: '/sets/maps/changelist-archive.xml',
        resourceDump: '/sets/maps/resourcedump.xml',
        resourceDumpArchive: '/sets/maps/resourcedump-archive.xml',
        changeDump: '/sets/maps/changedump.xml',
        changeDumpArchive: '/sets/maps/changedump-archive.xml',
        resourceListArchive: '/sets/maps/resourcelist-archive.xml',
      },
    );
  });
});
