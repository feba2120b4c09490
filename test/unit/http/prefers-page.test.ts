import assert from 'node:assert/strict';
import { namesHtml, prefersPage } from '../../../src/http/request/prefers-page.ts';

describe('Whether a client would rather have a page than XML', () => {
  const YES = [
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'text/html;q=0.2, */*;q=0.1',
    '*/*;q=0.5, text/html;q=0.6',
    'text/html;q=0.5, text/*;q=0.2',
    'text/html;q=0.5x, application/xml;q=0.9',
    'text/html, text/*, application/xml;q=0.5, text/xml;q=0.5',
  ];
  const NO = [
    undefined,
    '',
    '*/*',
    'application/xml',
    'text/xml, text/html',
    'application/*',
    'text/*, text/xml;q=0.5, application/xml;q=0.5',
    'text/html;q=0.9, application/xml',
    'text/html;q=0',
    'text/html;q=0.5, application/*;q=0.8',
    'text/html;q=0.5, text/*;q=0.8',
    'text/html;q=0.5, */*;q=0.8',
    'text/html;level=1;q=0.3, application/xml;q=0.5',
    'text/html;q=7, application/xml',
    'application/json',
    ',;,q=1',
  ];

  for (const accept of YES) it(`is so for ${accept}`, () => assert.equal(prefersPage(accept), true));
  for (const accept of NO) it(`is not so for ${accept}`, () => assert.equal(prefersPage(accept), false));

  it('is asked only where HTML is named', () => {
    assert.deepEqual([undefined, '', 'application/xml', '*/*', 'TEXT/HTML;q=0.1'].map(namesHtml), [
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});
