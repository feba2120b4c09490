import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleDocuments, exampleFile, EXAMPLE_FOLDER as FOLDER } from '../../../scripts/make-examples.ts';
import { NAVIGATION_RELATIONS, PATCH_RELATION } from '../../../src/core/link-relations.ts';
import { formatStamp } from '../../../src/core/stamp.ts';
import { renderCapabilityList } from '../../../src/publish/render/documents/capability-list.ts';
import { changeEntries, changeListHead } from '../../../src/publish/render/documents/change-list.ts';
import { resourceEntries, resourceListHead, URLSET_END } from '../../../src/publish/render/documents/resource-list.ts';
import { renderSourceDescription } from '../../../src/publish/render/documents/source-description.ts';
import { parseDocument } from '../../support/parse-document.ts';
import { itWithXmllint, schemaErrors } from '../../support/xsd.ts';

const STAMP = 1_772_355_600_412_306;
const STYLE = { urlPrefix: 'https://example.org/', publishHashes: [] } as const;
const HASHES = { md5: 'd'.repeat(32), 'sha-1': 'a'.repeat(40), 'sha-256': 'c'.repeat(64) };
const capabilityList = 'https://example.org/sets/maps/capabilitylist.xml';

describe('documents', () => {
  describe('samples', () => {
    it('are what the renderers write', () => {
      const expected = new Map([...exampleDocuments()].map(([uri, text]) => [exampleFile(uri), text]));
      const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.xml'));
      assert.deepEqual(files.sort(), [...expected.keys()].sort(), 'run node scripts/make-examples.ts');
      for (const [file, text] of expected) assert.equal(readFileSync(join(FOLDER, file), 'utf8'), text, file);
    });

    itWithXmllint('are valid by our schemas', () => {
      for (const [uri, text] of exampleDocuments()) assert.deepEqual(schemaErrors(text), [], uri);
    });

    it('are each described in sitemaps/README.md', () => {
      const readme = readFileSync(join(FOLDER, '../README.md'), 'utf8');
      for (const uri of exampleDocuments().keys()) {
        assert.ok(readme.includes(`\`${exampleFile(uri)}\``), exampleFile(uri));
      }
    });
  });

  describe('Resource List', () => {
    it('describes a resource by loc, lastmod, rs:md and rs:ln, in this order', () => {
      const links = [{ rel: 'describedby', href: '/a.xml', mime: 'application/xml' }];
      const state = { lastmod: 1_772_355_600, length: 5, hashes: HASHES, mime: 'text/plain', links };
      assert.equal(
        resourceEntries([resource({ state })], STYLE),
        '<url><loc>https://example.org/a.txt</loc><lastmod>2026-03-01T09:00:00Z</lastmod>' +
          `<rs:md hash="sha-256:${HASHES['sha-256']}" length="5" type="text/plain"/>` +
          '<rs:ln rel="describedby" href="https://example.org/a.xml" type="application/xml"/></url>\n',
      );
    });

    it('leaves out what is not known', () => {
      assert.equal(
        resourceEntries([resource({ state: {} })], STYLE),
        '<url><loc>https://example.org/a.txt</loc></url>\n',
      );
    });

    it('distinguishes an empty resource from one of unknown length', () => {
      assert.match(resourceEntries([resource({ state: { length: 0 } })], STYLE), /<rs:md length="0"\/>/);
    });

    it('publishes the strongest hash that is known', () => {
      const { 'sha-256': _, ...weaker } = HASHES;
      assert.match(resourceEntries([resource({ state: { hashes: weaker } })], STYLE), / hash="sha-1:a{40}"/);
      assert.match(resourceEntries([resource({ state: { hashes: { md5: HASHES.md5 } } })], STYLE), / hash="md5:d{32}"/);
    });

    it('publishes other hashes that the set asks for, strongest first', () => {
      const style = { ...STYLE, publishHashes: ['md5', 'sha-256'] } as const;
      const entries = resourceEntries([resource({ state: { hashes: HASHES } })], style);
      assert.match(entries, / hash="sha-256:c{64} md5:d{32}"/);
    });

    it('has none of the links by which documents of ResourceSync link to each other', () => {
      const links = [...NAVIGATION_RELATIONS, 'describedby'].map((rel) => ({ rel, href: '/a.xml' }));
      const entries = resourceEntries([resource({ state: { links } })], STYLE);
      assert.deepEqual(entries.match(/ rel="[^"]*"/g), [' rel="describedby"']);
    });

    it('links to a timegate without its type', () => {
      const links = [{ rel: 'timegate', href: '/timegate', mime: 'text/html' }];
      const entries = resourceEntries([resource({ state: { links } })], STYLE);
      assert.match(entries, /<rs:ln rel="timegate" href="https:\/\/example\.org\/timegate"\/>/);
    });

    it('leaves a location outside the prefix as it is', () => {
      const entries = resourceEntries([resource({ key: 'https://other.example/b?x=1&y=2' })], STYLE);
      assert.match(entries, /<loc>https:\/\/other\.example\/b\?x=1&amp;y=2<\/loc>/);
    });

    it('links to its index only when it has one', () => {
      const index = 'https://example.org/sets/maps/resourcelist.xml';
      assert.match(resourceListHead({ at: STAMP, capabilityList, index }), /<rs:ln rel="index"/);
      assert.doesNotMatch(resourceListHead({ at: STAMP, capabilityList }), /rel="index"/);
    });
  });

  describe('Change List', () => {
    it('describes a change with its time to the microsecond and the state after it', () => {
      assert.equal(
        changeEntries([change({ kind: 'updated', state: { length: 5, mime: 'text/plain' } })], STYLE),
        '<url><loc>https://example.org/a.txt</loc>' +
          '<rs:md change="updated" datetime="2026-03-01T09:00:00.412306Z" length="5" type="text/plain"/></url>\n',
      );
    });

    it('contains nothing of the state of a deleted resource', () => {
      assert.equal(
        changeEntries([change({ kind: 'deleted', state: { length: 5, lastmod: 3, links: [] } })], STYLE),
        '<url><loc>https://example.org/a.txt</loc>' +
          '<rs:md change="deleted" datetime="2026-03-01T09:00:00.412306Z"/></url>\n',
      );
    });

    it('links to a patch that has a type, which a Resource List does not', () => {
      const patch = { rel: PATCH_RELATION, href: '/a.patch', mime: 'a/b' };
      const state = { links: [patch, { rel: PATCH_RELATION, href: '/b.patch' }] };
      const changed = changeEntries([change({ kind: 'updated', state })], STYLE);
      const link = `<rs:ln rel="${PATCH_RELATION}" href="https://example.org/a.patch" type="a/b"/>`;
      assert.ok(changed.endsWith(`Z"/>${link}</url>\n`), changed);
      const listed = resourceEntries([resource({ state })], STYLE);
      assert.equal(listed, '<url><loc>https://example.org/a.txt</loc></url>\n');
    });

    it('has until only when it is closed', () => {
      const closed = changeListHead({ from: STAMP - 1, until: STAMP + 1, capabilityList });
      assert.ok(closed.includes(` until="${formatStamp(STAMP + 1)}"`));
      assert.doesNotMatch(changeListHead({ from: STAMP - 1, capabilityList }), /until/);
    });
  });

  it('lists a set without a document about it in a Source Description', () => {
    const text = renderSourceDescription({ capabilityLists: [{ uri: capabilityList }] });
    assert.ok(text.includes(`<url><loc>${capabilityList}</loc><rs:md capability="capabilitylist"/></url>\n`), text);
  });

  it('writes as many entries as are given, also across the groups that it joins', () => {
    for (const count of [0, 1, 63, 64, 65, 200]) {
      const resources = Array.from({ length: count }, (_, number) => resource({ key: `/${number}.txt` }));
      const text = resourceListHead({ at: STAMP, capabilityList }) + resourceEntries(resources, STYLE) + URLSET_END;
      const { root } = parseDocument('list', text);
      const locations = root.children.filter(({ name }) => name === 'url').map(({ children }) => children[0]?.text);
      assert.deepEqual(
        locations,
        resources.map(({ key }) => `https://example.org${key}`),
      );
    }
  });

  it('stays well-formed whatever a small document contains', () => {
    const hostile = 'https://example.org/\u0000\ud800<&">&lt;&b;\uffff';
    const texts = [
      renderCapabilityList({ sourceDescription: hostile, capabilities: [{ uri: hostile, capability: 'changelist' }] }),
      renderSourceDescription({ describedBy: hostile, capabilityLists: [{ uri: hostile, describedBy: hostile }] }),
    ];
    for (const text of texts) {
      const link = parseDocument('document', text).root.children.find(({ name }) => name === 'rs:ln');
      assert.equal(link?.attributes.href, 'https://example.org/\ufffd\ufffd<&">&lt;&b;\ufffd');
    }
  });
});

function resource(given: { key?: string; state?: object }) {
  return { key: '/a.txt', state: {}, stamp: STAMP, created: STAMP, ...given };
}

function change(given: { kind: 'updated' | 'deleted'; state: object }) {
  return { set: 1, key: '/a.txt', stamp: STAMP, weight: 0, window: 1, ...given };
}
