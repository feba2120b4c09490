import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument } from '../support/parse-document.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { ServedSource } from '../support/served-source.ts';

const TEXT = 'something';
const HASH = `sha-256:${createHash('sha256').update(TEXT).digest('hex')}`;

describe('tidemark validate', () => {
  let source: ServedSource;
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-validate-test-'));
    source = await ServedSource.start();
    source.describe({ resourcelist: '/resourcelist.xml' });
    list(`hash="${HASH}" length="${TEXT.length}" type="text/plain"`);
    source.answers.set('/a.txt', TEXT);
  });

  afterEach(async () => {
    await source.close();
    rmSync(folder, { recursive: true });
  });

  const list = (md: string) =>
    source.document(
      '/resourcelist.xml',
      `${source.link('up', '/set.xml')}<rs:md capability="resourcelist" at="2026-01-01T00:00:00Z"/>
<url><loc>${source.baseUrl}/a.txt</loc><rs:md ${md}/></url>`,
    );

  const validate = (...words: readonly string[]) => runTidemark(['validate', ...words], { cwd: folder });

  it('finds nothing at the level MUST in a source that is right, from each of its URLs', async () => {
    for (const path of ['/', '/.well-known/resourcesync', '/set.xml', '/resourcelist.xml']) {
      const { stdout, exitCode } = await validate(source.baseUrl + path);
      assert.equal(exitCode, 0, stdout);
      assert.match(stdout, /: findings: \d+ note in \d documents, \d entries, 1 resource\.\n$/);
    }
  });

  it('finds a source by a link in a page, by the header of a resource, and by robots.txt', async () => {
    source.answers.set('/page.html', '<html><link rel="resourcesync" href="/set.xml"></html>');
    source.answers.set('/a.txt', (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', link: '</set.xml>; rel="resourcesync"' }).end(TEXT),
    );
    for (const path of ['/page.html', '/a.txt']) {
      const { documents, resources } = JSON.parse((await validate(source.baseUrl + path, '--json')).stdout);
      assert.deepEqual([documents, resources], [3, 1], path);
    }
    source.answers.delete('/.well-known/resourcesync');
    source.answers.set('/robots.txt', `User-agent: *\nSitemap: ${source.baseUrl}/resourcelist.xml\n`);
    const { resources } = JSON.parse((await validate(`${source.baseUrl}/`, '--json')).stdout);
    assert.equal(resources, 1);
  });

  it('says what is wrong, where, and what to do', async () => {
    list(`hash="${HASH}" length="8" type="text/plain"`);
    const { stdout, exitCode } = await validate(`${source.baseUrl}/`);
    assert.equal(exitCode, 1);
    assert.ok(
      stdout.startsWith(`MUST  rule 12: length is that of the bytes that GET returns
  ${source.baseUrl}/resourcelist.xml:4
    ${source.baseUrl}/a.txt: length 8, but 9 bytes came
  What to do: Make the list again when a resource changes; count bytes, not characters.
`),
      stdout,
    );
  });

  it('prints JSON, and writes a report in the format of JUnit', async () => {
    list('length="8" type="text/&#1;plain &lt;&quot;"'.replace('&#1;', ''));
    const { stdout, exitCode } = await validate(`${source.baseUrl}/`, '--json', '--junit', 'report.xml');
    assert.equal(exitCode, 1);
    const { findings, broken } = JSON.parse(stdout);
    assert.deepEqual(
      broken.filter(({ level }: { level: string }) => level === 'MUST').map(({ rule }: { rule: number }) => rule),
      [12, 15],
    );
    assert.deepEqual(Object.keys(findings[0]), [
      ...['rule', 'level', 'document', 'line', 'message', 'text', 'section', 'advice'],
    ]);
    const { root } = parseDocument('report.xml', readFileSync(join(folder, 'report.xml'), 'utf8'));
    const cases = root.children.flatMap(({ children }) => children);
    const failing = cases.filter(({ children }) => children.some(({ name }) => name.endsWith('failure')));
    assert.equal(cases.length, 124);
    assert.deepEqual(
      failing.map(({ attributes }) => attributes.name!.slice(0, 7)),
      ['rule 12', 'rule 15'],
    );
  });

  it('requests so many resources as the sample has, or all', async () => {
    const { baseUrl } = source;
    const entries = Array.from({ length: 50 }, (_, number) => `<url><loc>${baseUrl}/a.txt?${number}</loc></url>`);
    source.document(
      '/resourcelist.xml',
      `<rs:md capability="resourcelist" at="2026-01-01T00:00:00Z"/>${entries.join('')}`,
    );
    for (const [words, expected] of [
      [[], 20],
      [['--sample', '0'], 0],
      [['--sample', '7'], 7],
      [['--full'], 50],
    ] as const) {
      const { resources } = JSON.parse((await validate(`${baseUrl}/`, '--json', ...words)).stdout);
      assert.equal(resources, expected, words.join(' '));
    }
  });

  it('fails with the exit codes of every command', async () => {
    assert.equal((await validate('example.org')).exitCode, 2);
    assert.equal((await validate(source.baseUrl, '--full', '--sample', '3')).exitCode, 2);
    const { baseUrl } = source;
    await source.close();
    const { stderr, exitCode } = await validate(`${baseUrl}/`);
    assert.equal(exitCode, 3);
    assert.match(stderr, /cannot be read: the server refuses the connection/);
    source = await ServedSource.start();
  });

  it('reports a host without a source', async () => {
    source.answers.clear();
    const { stdout, exitCode } = await validate(`${source.baseUrl}/`);
    assert.equal(exitCode, 1);
    assert.match(stdout, /MUST {2}rule 31: There is a Source Description/);
  });
});
