import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Func } from 'mocha';

const SCHEMAS = join(import.meta.dirname, '../../sitemaps/xsd');

/** What our schemas find wrong with a document; nothing when it is valid. Needs xmllint (Debian: libxml2-utils). */
export function schemaErrors(document: string): readonly string[] {
  const schema = document.includes('<sitemapindex') ? 'siteindex.xsd' : 'sitemap.xsd';
  const { status, stderr, error } = spawnSync(
    'xmllint',
    ['--noout', '--nonet', '--huge', '--schema', join(SCHEMAS, schema), '-'],
    { input: document, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (error) throw error;
  if (status === 0) return [];
  return stderr.split('\n').filter((line) => line !== '' && line !== '- fails to validate');
}

/** A test that needs xmllint: skipped with the reason where there is none, but failing where CI should have it. */
export function itWithXmllint(title: string, test: Func): void {
  const missing = spawnSync('xmllint', ['--version']).error;
  if (missing === undefined) it(title, test);
  else if (process.env.CI !== 'true') it.skip(`${title} (needs xmllint, of Debian's libxml2-utils)`);
  else {
    it(title, () => {
      throw missing;
    });
  }
}
