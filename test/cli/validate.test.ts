import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../support/free-port.ts';
import { parseDocument } from '../support/parse-document.ts';
import { runProcess, runTidemark, startProcess } from '../support/run-tidemark.ts';
import { ServedSource } from '../support/served-source.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

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
      assert.match(stdout, /: findings: \d+ notes? in \d documents, \d entries, 1 resource\.\n$/);
    }
  });

  it('says which Source Description it found, and when there is nothing', async () => {
    const description = `${source.baseUrl}/.well-known/resourcesync`;
    const leading = (url: string) => `\nThe Source Description of ${url} is ${description}.\n`;
    assert.ok((await validate(`${source.baseUrl}/nothing`)).stdout.includes(leading(`${source.baseUrl}/nothing`)));
    assert.doesNotMatch((await validate(description)).stdout, /The Source Description of/);
    source.answers.delete('/.well-known/resourcesync');
    const { stdout, exitCode } = await validate(`${source.baseUrl}/nothing`);
    assert.match(
      stdout,
      /^Not everything was read: nothing of ResourceSync was found by http:\S+\/nothing, which is neither/m,
    );
    assert.doesNotMatch(stdout, /The Source Description of/);
    assert.equal(exitCode, 1);
    assert.doesNotMatch((await validate(`${source.baseUrl}/set.xml`)).stdout, /The Source Description of/);
  });

  for (const [what, file, header] of [
    ['a login in the URL', undefined, `Basic ${Buffer.from('user:secret').toString('base64')}`],
    ['a file with a token', '--token-file', 'Bearer secret'],
    ['a file with logins', '--netrc', `Basic ${Buffer.from('user:secret').toString('base64')}`],
  ] as const) {
    it(`sends the credentials of ${what} with each request, and names them nowhere`, async () => {
      source.requires = header;
      writeFileSync(join(folder, '--token-file'), 'secret\n');
      writeFileSync(join(folder, '--netrc'), 'default login user password secret\n');
      const { host } = new URL(source.baseUrl);
      const url = file === undefined ? `http://user:secret@${host}/` : `http://${host}/`;
      const given = file === undefined ? [] : [`${file}=./${file}`];
      const { stdout, stderr, exitCode } = await validate(url, ...given, '--junit', 'report.xml');
      assert.equal(exitCode, 0, stdout);
      assert.match(stdout, /1 resource\.\n$/);
      assert.doesNotMatch(stdout + stderr + readFileSync(join(folder, 'report.xml'), 'utf8'), /secret/);
    });
  }

  it('says that the URL itself is not there, when the source is found by its host', async () => {
    const { stdout, exitCode } = await validate(`${source.baseUrl}/nothing`);
    assert.match(stdout, /^Nothing was read of http:\S+\/nothing itself: the server answers 404\.$/m);
    assert.match(stdout, /^The source on the host of http:\S+\/nothing: findings: 1 note in .*\.\n$/m);
    assert.equal(exitCode, 1);
    const { failure } = JSON.parse((await validate(`${source.baseUrl}/nothing`, '--json')).stdout);
    assert.equal(failure, 'the server answers 404');
    assert.doesNotMatch((await validate(`${source.baseUrl}/`)).stdout, / itself: /);
  });

  it('says why a URL is not a document, when nothing else is found', async () => {
    const start = `<?xml version="1.0" encoding="UTF-16"?>\n<urlset xmlns="http://www.sitemaps.org`;
    source.answers.clear();
    source.answers.set('/empty.xml', '');
    source.answers.set('/truncated.xml', start.replace('16', '8'));
    source.answers.set('/utf-16.xml', Buffer.from(`\ufeff${start}`, 'utf16le'));
    source.answers.set('/feed.xml', '<feed/>');
    source.answers.set('/page.html', '<html></html>');
    for (const [path, reason] of [
      ['missing', /the server answers 404/],
      ['empty.xml', /it is not well-formed: \S+ document must contain a root element\./],
      ['truncated.xml', /it is not well-formed: \S+ unexpected end\./],
      ['utf-16.xml', /it is not encoded in UTF-8/],
      ['feed.xml', /its root element is feed/],
      ['page.html', /it is a page/],
    ] as const) {
      const { stdout, exitCode } = await validate(`${source.baseUrl}/${path}`);
      const [, found = ''] = /which is neither a ResourceSync document nor a sitemap \((.*)\), and links to no/.exec(
        stdout,
      )!;
      assert.match(found, reason);
      assert.equal(exitCode, 1);
    }
  });

  it('says which character of a URI is wrong', async () => {
    list('length="9"');
    const text = source.answers.get('/resourcelist.xml');
    source.answers.set('/resourcelist.xml', String(text).replace('/a.txt', '/a b.txt'));
    const { stdout } = await validate(source.baseUrl);
    assert.match(stdout, /loc \S+\/a b\.txt has the character " ", which a URI can only have percent-encoded, as %20/);
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
    // A fault of the source: the link must be absolute.
    const set = source.answers.get('/set.xml') as string;
    source.answers.set('/set.xml', set.replace(`"${source.baseUrl}/.well-known`, '".well-known'));
    const { documents } = JSON.parse((await validate(`${source.baseUrl}/page.html`, '--json')).stdout);
    assert.equal(documents, 3);
    source.answers.set('/set.xml', set);
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

  it('refuses a file for the report before it reads anything, and prints the report when the disk is full', async () => {
    for (const [path, reason] of [
      ['missing/report.xml', 'its folder does not exist'],
      ['.', 'it is a folder'],
    ]) {
      const { stderr, exitCode } = await validate(`${source.baseUrl}/`, '--junit', path!);
      assert.match(stderr, new RegExp(`cannot be written: ${reason}`));
      assert.equal(exitCode, 2);
    }
    assert.deepEqual(source.requests, []);
    const { stdout, stderr, exitCode } = await validate(`${source.baseUrl}/`, '--junit', '/dev/full');
    assert.match(stdout, /: findings: /);
    assert.match(stderr, /\/dev\/full cannot be written: the disk is full/);
    assert.equal(exitCode, 2);
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

  it('finds what the standard refuses, and each fault once', async () => {
    const { baseUrl } = source;
    source.describe({ resourcelist: '/resourcelist.xml' });
    const description = '/.well-known/resourcesync';
    source.answers.set(
      description,
      String(source.answers.get(description)).replace('"capabilitylist"', '"capability"'),
    );
    const ofWindow = '<rs:md capability="changelist" from="2026-01-01T00:00:00Z"/>';
    source.answers.set(
      '/set.xml',
      String(source.answers.get('/set.xml')).replace(
        '</urlset>',
        `<url><loc>${baseUrl}/lists/changelist.xml</loc><rs:md capability="changelist"/></url></urlset>`,
      ),
    );
    source.document('/lists/changelist.xml', ofWindow);
    source.document(
      '/resourcelist.xml',
      `${source.link('up', '/set.xml')}<rs:md capability="resourcelist" at="2026-01-01T00:00:00Z"/>
<url><loc a="b">${baseUrl}/a.txt</loc><changefreq>often</changefreq><rs:md type="text/plain"/>${source.link('describedby', '/a.xml')}</url>
<url><loc></loc></url>`,
    );
    const { stdout, exitCode } = await validate(`${baseUrl}/`, '--json');
    const { broken } = JSON.parse(stdout) as { broken: { rule: number; level: string; findings: number }[] };
    const musts = broken.filter(({ level }) => level === 'MUST');
    // 30 is the Change List without up. It has another path, but the name that clients expect.
    assert.deepEqual(
      musts.map(({ rule, findings }) => [rule, findings]),
      [
        [4, 1],
        [18, 1],
        [20, 1],
        [30, 1],
        [38, 1],
        [102, 1],
      ],
    );
    assert.ok(!broken.some(({ rule }) => rule === 123));
    assert.equal(exitCode, 1);
  });

  it('says that a server which does not answer could not be read, and finds no fault in that', async () => {
    const nowhere = `http://127.0.0.1:${await findFreePort()}`;
    for (const path of ['/.well-known/resourcesync', '/set.xml', '/resourcelist.xml']) {
      source.answers.set(path, String(source.answers.get(path)).replaceAll(source.baseUrl, nowhere));
    }
    for (const path of ['/.well-known/resourcesync', '/set.xml', '/resourcelist.xml']) {
      const { stdout, exitCode } = await validate(source.baseUrl + path, '--json');
      const { broken, incomplete } = JSON.parse(stdout);
      assert.deepEqual(
        broken.filter(({ level }: { level: string }) => level === 'MUST'),
        [],
        path,
      );
      assert.match(incomplete.join(), /^http:\S+ could not be read: the server refuses the connection/);
      assert.equal(exitCode, 1);
    }
  });

  it('checks a file by the rules of documents alone', async () => {
    for (const path of ['/.well-known/resourcesync', '/set.xml', '/resourcelist.xml']) {
      writeFileSync(join(folder, 'document.xml'), String(source.answers.get(path)));
      const { stdout, exitCode } = await validate('document.xml');
      assert.match(stdout, /^file:\S+\/document\.xml: no findings in 1 document, \d entr(y|ies), 0 resources\.\n$/);
      assert.equal(exitCode, 0);
    }
    writeFileSync(
      join(folder, 'document.xml'),
      String(source.answers.get('/resourcelist.xml')).replace(/<rs:ln.*?\/>/, ''),
    );
    const { stdout, exitCode } = await validate('document.xml');
    assert.match(stdout, /^MUST {2}rule 30: .*\n {2}file:\S+\/document\.xml:3\n/);
    assert.match(stdout, /findings: 1 MUST in 1 document/);
    assert.equal(exitCode, 1);
    writeFileSync(join(folder, 'page.html'), '<html></html>');
    assert.match((await validate('page.html')).stdout, /page\.html is neither a ResourceSync document nor a sitemap/);
    assert.match((await validate('missing.xml')).stderr, /"missing\.xml" is neither a URL of a source.* nor a file/);
    assert.match((await validate('.')).stderr, /cannot be read: it is not a file/);
    assert.deepEqual(source.requests, []);
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

  it('leaves nothing of a package on the disk when it is killed', async () => {
    source.describe({ resourcedump: '/dump.xml' });
    source.document(
      '/dump.xml',
      `${source.link('up', '/set.xml')}<rs:md capability="resourcedump" at="2026-01-01T00:00:00Z"/>
<url><loc>${source.baseUrl}/a.zip</loc><rs:md type="application/zip" length="2000000"/></url>`,
    );
    // The second half never comes.
    source.answers.set('/a.zip', (_, response) => response.writeHead(200).write(Buffer.alloc(1_000_000)));
    const running = startProcess(['validate', `${source.baseUrl}/`], { cwd: folder, env: { TMPDIR: folder } });
    await until('the package is requested', async () => source.requests.includes('/a.zip'));
    await until('its file', async () => isWriting(running.pid));
    await running.kill();
    const left = readdirSync(folder, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      left.filter((entry) => !entry.isDirectory()),
      [],
    );
  });

  itOnSmallDisk('says that the disk has no room for a package, and does not blame the source', 2, async (disk) => {
    source.describe({ resourcedump: '/dump.xml' });
    source.document(
      '/dump.xml',
      `${source.link('up', '/set.xml')}<rs:md capability="resourcedump" at="2026-01-01T00:00:00Z"/>
<url><loc>${source.baseUrl}/a.zip</loc><rs:md type="application/zip"/></url>`,
    );
    source.answers.set('/a.zip', Buffer.alloc(4_000_000));
    const { stdout, stderr, exitCode } = await runProcess(['validate', `${source.baseUrl}/`], {
      cwd: folder,
      env: { TMPDIR: disk.folder },
    });
    assert.equal(exitCode, 3, stdout + stderr);
    assert.match(stderr, /^tidemark: the package http:\S+\/a\.zip cannot be written to the disk: the disk is full/m);
  });

  it('reports a host without a source', async () => {
    source.answers.clear();
    const { stdout, exitCode } = await validate(`${source.baseUrl}/`);
    assert.equal(exitCode, 1);
    assert.match(stdout, /MUST {2}rule 31: There is a Source Description/);
  });
});

/** Whether a process has a file of a package open. */
function isWriting(pid: number): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((fd) => {
    try {
      return readlinkSync(join(folder, fd)).includes('.package');
    } catch {
      return false;
    }
  });
}
