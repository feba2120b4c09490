import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { copyIn } from '../support/mirrored-source.ts';
import { findReferenceClient, itWithReferenceClient } from '../support/reference-client.ts';
import { checkSource } from '../support/rules/check-source.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { ServedSource } from '../support/served-source.ts';

/** A source that the reference client's own command has written, as docs/validator.md reports. */
describe('a source that resync has written', function () {
  this.timeout(300_000);
  let source: ServedSource;
  let site: string;

  beforeEach(async () => {
    source = await ServedSource.start();
    site = mkdtempSync(join(tmpdir(), 'tidemark-resync-'));
    for (const [path, text] of [
      ['a.txt', 'one'],
      ['b.txt', 'two'],
      ['d/c é.txt', 'three'],
    ] as const)
      write(path, text);
  });

  afterEach(async () => {
    await source.close();
    rmSync(site, { recursive: true });
  });

  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(site, 'files', path)), { recursive: true });
    writeFileSync(join(site, 'files', path), text);
  };

  const build = (...options: readonly string[]) =>
    promisify(execFile)(join(dirname(findReferenceClient()!), 'resync-build'), options, { cwd: site });

  /** Writes every document that it can write of a folder in which something has changed. */
  async function buildAll(): Promise<void> {
    const { baseUrl } = source;
    const above = ['--hash', 'md5', '--capabilitylist-link', `${baseUrl}/capabilitylist.xml`];
    const files = `${baseUrl}/files=files`;
    await build('--write-resourcelist', ...above, '--outfile', 'before.xml', files);
    write('a.txt', 'changed');
    write('n.txt', 'new');
    rmSync(join(site, 'files', 'b.txt'));
    await build('--write-changelist', ...above, '--reference', 'before.xml', '--outfile', 'changelist.xml', files);
    await build('--write-resourcelist', ...above, '--outfile', 'resourcelist.xml', files);
    await build('--write-resourcedump', ...above, '--outfile', 'dump', files);
    const lists = { resourcelist: 'resourcelist', changelist: 'changelist', resourcedump: 'dump00000' };
    const named = Object.entries(lists).map(([capability, name]) => `${capability}=${baseUrl}/${name}.xml`);
    const description = `${baseUrl}/.well-known/resourcesync`;
    await build(
      '--write-capabilitylist',
      named.join(),
      '--outfile',
      'capabilitylist.xml',
      '--sourcedescription-link',
      description,
    );
    mkdirSync(join(site, '.well-known'));
    await build('--write-sourcedescription', `${baseUrl}/capabilitylist.xml`, '--outfile', '.well-known/resourcesync');
  }

  function serve(): void {
    for (const path of readdirSync(site, { recursive: true, encoding: 'utf8' })) {
      const file = join(site, path);
      if (!statSync(file).isFile()) continue;
      const headers = {
        'content-type': path.startsWith('files') ? 'text/plain' : 'application/xml',
        'last-modified': statSync(file).mtime.toUTCString(),
      };
      source.answers.set(new URL(path, `${source.baseUrl}/`).pathname, (_, response) =>
        response.writeHead(200, headers).end(readFileSync(file)),
      );
    }
  }

  itWithReferenceClient('breaks the rules that docs/validator.md names, and its resources none', async () => {
    await buildAll();
    serve();
    const { broken, resources } = await checkSource(`${source.baseUrl}/`);
    const at = (level: string) => broken.filter((rule) => rule.level === level).map(({ rule }) => rule);
    assert.deepEqual(at('MUST'), [20, 28, 30, 65, 68]);
    assert.deepEqual(at('SHOULD'), [37, 39, 44, 66, 72]);
    assert.equal(resources, 3);
  });

  itWithReferenceClient('is copied by tidemark mirror, and an audit finds no difference', async () => {
    await buildAll();
    serve();
    const mirror = async (...words: readonly string[]) => {
      const { stderr, exitCode } = await runTidemark(['mirror', `${source.baseUrl}/`, 'copy', ...words], { cwd: site });
      assert.equal(exitCode, 0, stderr);
      assert.deepEqual(copyIn(join(site, 'copy')), copyIn(join(site, 'files')));
    };
    await mirror();
    await mirror();
    await mirror('--audit', '--rehash');
  });
});
