import assert from 'node:assert/strict';
import type { SharedByFiles } from '../../../src/records/forms/record-form.ts';
import { page, READING, readPage, record, recordsOf, summaryOf } from '../../support/oai-pages.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const SHEET = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:m="urn:mods" xmlns:dc="http://purl.org/dc/elements/1.1/" exclude-result-prefixes="m">
  <xsl:template match="/m:mods[m:title]">
    <nsdl_dc:nsdl_dc xmlns:nsdl_dc="http://ns.nsdl.org/nsdl_dc_v1.02/" schemaVersion="1.02.020">
      <dc:title><xsl:value-of select="m:title"/></dc:title>
    </nsdl_dc:nsdl_dc>
  </xsl:template>
</xsl:stylesheet>`;

describe('A harvest of another format', () => {
  const folder = useTempFolder();

  it('becomes nsdl_dc by a sheet, beside what was harvested, in the form of the included transform (E22)', async () => {
    folder.write('mods.xsl', SHEET);
    const reading = { ...READING, format: 'mods', namespace: 'urn:mods', transform: 'mods.xsl', folder: folder.path };
    const shared: SharedByFiles = {};
    try {
      const good = page(record('1', { metadata: '<mods xmlns="urn:mods"><title>A map</title></mods>' }));
      const [one] = await recordsOf(good, { reading, shared });
      const bad = page(record('2', { metadata: '<mods xmlns="urn:mods"></mods>' }));
      const [erratum] = summaryOf(await readPage(bad, { reading, shared }));

      assert.equal(one!.metadata, '<mods xmlns="urn:mods"><title>A map</title></mods>');
      assert.equal(one!.derived!.format, 'nsdl_dc');
      assert.match(one!.derived!.xml, /^<nsdl_dc:nsdl_dc [^>]*><dc:title>A map<\/dc:title><\/nsdl_dc:nsdl_dc>$/);
      assert.match(erratum!, /^erratum 2: nsdl_dc cannot be made of it: .*not one XML element/);
    } finally {
      shared.opened?.close();
    }
  });
});
