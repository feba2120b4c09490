import assert from 'node:assert/strict';
import { linksInHeader } from '../../../src/client/read/page-links.ts';

describe('linksInHeader()', () => {
  it('finds the URIs of each relation', () => {
    const links = linksInHeader('<http://a/>; rel="hub self", </b>;rel=monitor; type="text/plain",<c>; REL=Hub');
    assert.deepEqual({ ...links }, { hub: ['http://a/', 'c'], self: ['http://a/'], monitor: ['/b'] });
  });

  it('takes nothing in a quoted value for a link or a relation', () => {
    const links = linksInHeader('<a>; title="; rel=evil, <b>; rel=x \\" <c>"; rel="hub"; rel="second", <d>; rel=self');
    assert.deepEqual({ ...links }, { hub: ['a'], self: ['d'] });
  });
});
