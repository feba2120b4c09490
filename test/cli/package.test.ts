import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ask } from '../support/ask.ts';
import { findFreePort } from '../support/free-port.ts';
import { encodeSample } from '../support/marc-records.ts';
import { until } from '../support/until.ts';

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the package', function () {
  this.timeout(600_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  });
  after(() => rm(folder, { recursive: true }));

  // npm leaves what it compiled among the temporary files; and the variables that it sets for scripts are not meant for
  // this one.
  const environment = () => {
    const kept = Object.entries(process.env).filter(([name]) => !/^(npm|TIDEMARK)_/.test(name));
    return { ...Object.fromEntries(kept), TMPDIR: folder };
  };
  const run = (program: string, args: readonly string[], cwd: string) =>
    execute(program, args, { cwd, env: environment() });

  it('runs in an empty folder: npx finds it, and it publishes', async () => {
    await run('npm', ['pack', '--silent', '--pack-destination', folder], ROOT);
    const file = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    assert.match(file!, /^tidemark-\d+\.\d+\.\d+\.tgz$/);
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(join(elsewhere, 'maps'), { recursive: true });
    await writeFile(join(elsewhere, 'maps', 'a.txt'), 'a map');

    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, file!)], elsewhere);
    const { stdout } = await run('npx', ['--no', 'tidemark', '--version'], elsewhere);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);

    const installed = join(elsewhere, 'node_modules/tidemark');
    const readme = await readFile(join(installed, 'README.md'), 'utf8');
    const linked = [...readme.matchAll(/\]\(((?:docs|ops)\/[^)#]+)/g)].map(([, path]) => path!);
    assert.ok(linked.includes('docs/operating.md'));
    const pages = linked.filter((path) => !path.endsWith('.png'));
    for (const path of [
      ...pages,
      'CHANGELOG.md',
      'ops/nginx/tidemark.conf',
      'ops/prometheus/alerts.yml',
      'schemas/db-insert.xsd',
    ]) {
      await access(join(installed, path));
    }

    const sheet =
      '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><b xmlns="urn:b"/></xsl:template></xsl:stylesheet>';
    await writeFile(join(elsewhere, 'sheet.xsl'), sheet);
    const transforms = pathToFileURL(join(installed, 'dist/records/transforms/')).href;
    const program = `
      const { openXmlTransform } = await import('${transforms}xml-transform.js');
      const { openSchemaCheck } = await import('${transforms}schemas/schema-check.js');
      const signal = new AbortController().signal;
      const transform = await openXmlTransform({ text: 'sheet.xsl', folder: '.', recordTimeoutMs: 10_000, signal });
      const [{ xml }] = await transform.transform([{ id: 'a', xml: '<a/>' }]);
      const problems = (await openSchemaCheck()).check('http://www.openarchives.org/OAI/2.0/oai_dc/', '<a/>');
      console.log(xml, problems.length);
      process.exit();`;
    await writeFile(join(elsewhere, 'transform.mjs'), program);
    const made = await run(process.execPath, ['transform.mjs'], elsewhere);
    assert.equal(made.stdout, '<b xmlns="urn:b"/> 1\n');

    const title = { tag: '245', indicators: '00', subfields: [{ code: 'a', value: '\x1b$1!0!\x1b(B' }] };
    const sample = { leader: '00000nam a2200000 a 4500', fields: [{ tag: '001', value: '1' }, title] };
    await writeFile(join(elsewhere, 'east-asian.mrc'), encodeSample(sample, ' '));
    const check = ['--no', 'tidemark', 'uploads', 'check', 'east-asian.mrc', '--normalized', 'normalized'];
    await run('npx', check, elsewhere);
    const [read] = await readdir(join(elsewhere, 'normalized'));
    assert.match(await readFile(join(elsewhere, 'normalized', read!), 'utf8'), />一</);

    const port = await findFreePort();
    const tidemark = join(elsewhere, 'node_modules/.bin/tidemark');
    const served = execFile(process.execPath, [tidemark, 'publish', 'maps', '--port', String(port)], {
      cwd: elsewhere,
      env: environment(),
    });
    const exited = once(served, 'exit');
    try {
      const list = `http://127.0.0.1:${port}/sets/maps/resourcelist.xml`;
      await until('it is published', async () => (await ask(list).catch(() => undefined))?.status === 200);
      assert.match((await ask(list)).text, new RegExp(`<loc>http://localhost:${port}/sets/maps/resources/a.txt</loc>`));
    } finally {
      served.kill('SIGTERM');
      await exited;
    }
  });
});
