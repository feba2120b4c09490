import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { jsonLines } from '../support/json-lines.ts';
import { killTidemarks, runTidemark, startProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const CONTEXT = { edm: 'http://www.europeana.eu/schemas/edm/' };
const MAPPING = { language: 'xpath', fields: { '@type': { value: 'ore:Aggregation' }, title: '//title' } };
/** The transform of these records never ends. */
const ENDLESS = "export default ({ id, document }) => { while (id.includes('endless')); return { id, document }; };";

describe('records that take too long', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  it('fail, and the other ones are published', async () => {
    folder.write('transform.mjs', ENDLESS);
    await harvest(['a', 'b', 'endless-1', 'c', 'endless-2', 'd'].map((id) => xml(id)));

    const args = 'activity run mapping cdl --transform transform.mjs --record-timeout 300ms --json';
    const { exitCode, stdout } = await runTidemark(args.split(' '), { cwd: folder.path });

    const { written, failed, errors, key } = JSON.parse(stdout);
    assert.deepEqual(
      { exitCode, written, failed, errors },
      { exitCode: 1, written: 4, failed: 2, errors: { 'too-slow': 2 } },
    );
    const cat = await runTidemark(['artifacts', 'cat', key, '--json'], { cwd: folder.path });
    assert.deepEqual(idsOf(cat.stdout), ['a', 'b', 'c', 'd']);
    const file = folder.at(`data/artifacts/${key.replace('.avro', '-errata.ndjson')}`);
    const errata = readFileSync(file, 'utf8').trim().split('\n');
    const message = 'it took longer than 0.3 s (TIDEMARK_RECORD_TIMEOUT)';
    assert.deepEqual(
      errata.map((line) => JSON.parse(line)),
      ['endless-1', 'endless-2'].map((id) => ({ id, kind: 'too-slow', message })),
    );
  });

  it('end at once by SIGTERM, and nothing is published', async () => {
    folder.write('transform.mjs', ENDLESS.replace('while', 'console.error("begun"); while'));
    await harvest([xml('endless')]);

    const args = 'activity run mapping cdl --transform transform.mjs --record-timeout 1h';
    const running = startProcess(args.split(' '), { cwd: folder.path });
    await running.says(/begun/);
    running.signal('SIGTERM');

    assert.equal(await running.exit(), 1, running.stderr);
    assert.match(running.stderr, /stopped before it was complete/);
    const latest = await runTidemark('artifacts latest --activity mapping'.split(' '), { cwd: folder.path });
    assert.deepEqual([latest.exitCode, latest.stdout], [1, '']);
  });

  it('fail alone when they end the thread of the transform', async () => {
    folder.write(
      'transform.mjs',
      `export default async ({ id, document }) => {
        if (id === 'exit') process.exit(3);
        if (id === 'late') setImmediate(() => { throw new Error('later'); });
        if (id === 'late') await new Promise(() => {});
        return { id, document };
      };`,
    );
    await harvest(['a', 'exit', 'late', 'b'].map((id) => xml(id)));

    const args = 'activity run mapping cdl --transform transform.mjs --json';
    const { stdout, stderr } = await runTidemark(args.split(' '), { cwd: folder.path });

    const { written, errors } = JSON.parse(stdout);
    assert.deepEqual({ written, errors }, { written: 2, errors: { transform: 2 } }, stderr);
  });

  it('fail alone when one becomes very many large documents', async () => {
    folder.write(
      'transform.mjs',
      `const document = 'x'.repeat(15_000_000);
      export default (record) =>
        record.id === 'many' ? Array.from({ length: 200 }, (_, at) => ({ id: 'many-' + at, document })) : record;`,
    );
    await harvest(['a', 'many', 'b'].map((id) => xml(id)));

    const args = 'activity run mapping cdl --transform transform.mjs --record-timeout 1h --json';
    const { stdout, stderr } = await runTidemark(args.split(' '), { cwd: folder.path });

    const { written, errors } = JSON.parse(stdout);
    assert.deepEqual({ written, errors }, { written: 2, errors: { 'too-much-memory': 1 } }, stderr);
  });

  it('do not make many others be transformed again, nor do so many results wait in memory', async () => {
    folder.write(
      'transform.mjs',
      `import { appendFileSync } from 'node:fs';
      export default (record) => {
        appendFileSync(new URL('begun', import.meta.url), record.id + '\\n');
        if (record.id === 'r999') process.exit(3);
        return record;
      };`,
    );
    await harvest(Array.from({ length: 1_000 }, (_, number) => xml(`r${number}`, '<r/>')));

    const args = 'activity run mapping cdl --transform transform.mjs --json';
    const { stdout } = await runTidemark(args.split(' '), { cwd: folder.path });

    assert.equal(JSON.parse(stdout).written, 999);
    const begun = readFileSync(folder.at('begun'), 'utf8').trim().split('\n').length;
    assert.ok(begun >= 1_000 && begun < 1_200, `${begun}`);
  });

  it('do not include many nodes of one IRI, nor what is nested too deeply, which fails at once', async () => {
    const graph = Array.from({ length: 100_000 }, () => ({ '@id': 'x', 'edm:hasView': 'y' }));
    const deep = `{"edm:hasView":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const resource = { '@id': 'r', 'edm:aggregatedCHO': { 'dcterms:title': 'A map' } };
    const wide = JSON.stringify({ '@context': CONTEXT, '@graph': [...graph, resource] });
    await harvest([json('wide', wide), json('deep', deep)]);
    await runTidemark('activity run mapping cdl'.split(' '), { cwd: folder.path });

    const { stdout } = await runTidemark('activity run indexing cdl --json'.split(' '), { cwd: folder.path });

    const { written, errors } = JSON.parse(stdout);
    assert.deepEqual({ written, errors }, { written: 1, errors: { 'too-deep': 1 } });
  });

  it('include XML of very many attributes or levels', async () => {
    folder.write('mapping.json', JSON.stringify(MAPPING));
    const attributes = Array.from({ length: 60_000 }, (_, number) => `a${number}="1"`).join(' ');
    await harvest([xml('attributes', `<a ${attributes}/>`), xml('levels', '<a>'.repeat(400_000)), xml('good')]);

    const args = 'activity run mapping cdl --transform mapping.json --record-timeout 400ms --json';
    const { stdout } = await runTidemark(args.split(' '), { cwd: folder.path });

    const { written, failed } = JSON.parse(stdout);
    assert.deepEqual({ written, failed }, { written: 1, failed: 2 });
  });

  async function harvest(lines: readonly object[]): Promise<void> {
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { exitCode, stderr } = await runTidemark('activity run harvest cdl --from -'.split(' '), {
      cwd: folder.path,
      input,
    });
    assert.equal(exitCode, 0, stderr);
  }
});

function xml(id: string, document = `<record><title>${id}</title></record>`): object {
  return { id, document, mimetype: 'application/xml' };
}

function json(id: string, document: string): object {
  return { id, document, mimetype: 'application/json' };
}

function idsOf(lines: string): readonly string[] {
  return jsonLines(lines).map((value) => value.id);
}
