import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Func } from 'mocha';
import { itNeeding } from './it-needing.ts';

const SCHEMAS = join(import.meta.dirname, '../../sitemaps/xsd');

/** What our schemas find wrong with a document; nothing when it is valid. Needs xmllint (Debian: libxml2-utils). */
export function schemaErrors(document: string): readonly string[] {
  const schema = document.includes('<sitemapindex') ? 'siteindex.xsd' : 'sitemap.xsd';
  return errorsBy(join(SCHEMAS, schema), document);
}

/** The same for an answer of OAI-PMH. */
export function oaiErrors(answer: string): readonly string[] {
  return errorsBy(join(import.meta.dirname, '../../schemas/oai-pmh.xsd'), answer);
}

function errorsBy(schema: string, document: string): readonly string[] {
  const { status, stderr, error } = spawnSync('xmllint', ['--noout', '--nonet', '--huge', '--schema', schema, '-'], {
    input: document,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  if (status === 0) return [];
  return stderr.split('\n').filter((line) => line !== '' && line !== '- fails to validate');
}

/** A test that needs xmllint. */
export function itWithXmllint(title: string, test: Func): void {
  const { error } = spawnSync('xmllint', ['--version']);
  itNeeding({ name: 'xmllint', missing: error && "needs xmllint, of Debian's libxml2-utils" }, title, test);
}
