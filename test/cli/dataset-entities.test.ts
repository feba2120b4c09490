import assert from 'node:assert/strict';
import { type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { Workplace } from '../support/workplace.ts';

const env = { TIDEMARK_DATASET_NETWORKS: '127.0.0.1' };
const RELEASE = { ident: 'aaaaaaaaaaaaarceaaaaaaaaai', state: 'active', release_type: 'dataset' };

describe('datasets entities and datasets requests', () => {
  let place: Workplace;
  let platforms: StandInPlatforms;

  beforeEach(async () => {
    [place, platforms] = await Promise.all([Workplace.make(SQLITE), startPlatforms()]);
  });
  afterEach(() => Promise.all([place.close(), platforms.close()]));

  const run = async (args: readonly string[], input = '') => {
    const { stdout, stderr } = await place.run(['datasets', ...args], { env, input });
    const lines = stdout.split('\n').filter(Boolean);
    return { lines: lines.map((line) => JSON.parse(line)), said: stderr.trim() };
  };

  it('make of signposted pages and of files filesets, files and releases, and count what they skip (D01, D35-D38, d2, d18)', async () => {
    const file = (name: string) => platforms.addFile({ name, size: 1_000 });
    const anchor = `${platforms.url}/datasets/1`;
    const links = ['a b.csv', 'c.csv'].map((name) => ({ href: file(name), type: 'text/csv' }));
    const linkset = { linkset: [{ anchor, item: links, 'cite-as': [{ href: 'https://doi.org/10.5072/X' }] }] };
    platforms.addPage('/linkset', (_, response) => {
      response.setHeader('Content-Type', 'application/linkset+json').end(JSON.stringify(linkset));
      return true;
    });
    platforms.addPage('/datasets/1', (_, response) => {
      response.setHeader('Link', `</linkset>; rel="linkset"; type="application/linkset+json"`);
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Salinity</title>');
      return true;
    });
    const ext_ids = { doi: '10.5072/x' };
    const requests = [
      { base_url: anchor, ext_ids, fatcat: { release_ident: RELEASE.ident } },
      { base_url: `${anchor}?again`, ext_ids },
      { base_url: file('data.rar') },
      { base_url: `${platforms.url}/nothing` },
    ];
    const ingested = await run(['ingest', '-'], requests.map((one) => JSON.stringify(one)).join('\n'));
    const statuses = ingested.lines.map(({ result }) => result.status).sort();
    assert.deepEqual(statuses, ['success', 'success-existing', 'success-file', 'terminal-bad-status'], ingested.said);

    const filesets = await run(['entities', '--kind', 'fileset']);
    assert.equal(filesets.said, '1 fileset entity; 2 skipped: 1 a single file: use --kind file, 1 terminal-bad-status');
    assert.match((await run(['entities', '--set', 'dataset'])).said, /dataset/);
    const [{ manifest, urls, release_ids }] = filesets.lines;
    assert.deepEqual(release_ids, [RELEASE.ident]);
    const { stdout } = await place.run(['resources', 'list', 'datasets', '--json']);
    const uris = jsonLines(stdout).map((value) => value.uri);
    const [base] = urls.filter(({ rel }: { rel: string }) => rel === 'archive-base');
    for (const { path } of manifest)
      assert.ok(uris.includes(base.url + encodeURIComponent(path)), `${base.url}${path}: ${uris}`);

    const files = await run(['entities', '--kind', 'file']);
    assert.equal(files.lines[0].size, 1_000);
    assert.ok(uris.includes(files.lines[0].urls[0].url), files.lines[0].urls[0].url);

    const releases = `${JSON.stringify({ ...RELEASE, ext_ids })}\n${JSON.stringify({ ...RELEASE, ident: 'b', ext_ids: { doi: '10.1/y' } })}\n`;
    const known = { fileset_count: 1, in_ia: false, in_web: true, is_preserved: true };
    const unknown = { fileset_count: 0, in_ia: false, in_web: false, is_preserved: false };
    assert.deepEqual((await run(['entities', '--kind', 'release'], releases)).lines, [
      { ident: RELEASE.ident, ext_ids, ...known },
      { ident: 'b', ext_ids: { doi: '10.1/y' }, ...unknown },
    ]);

    const made = await run(['requests'], `${releases}{"release_type": "article-journal"}\n5\n`);
    assert.deepEqual(
      made.lines.map(({ base_url }) => base_url),
      ['https://doi.org/10.5072/x', 'https://doi.org/10.1/y'],
    );
    const reasons = '1 another release_type than dataset, 1 no release in the line';
    assert.equal(made.said, `2 requests; 2 skipped: ${reasons}`);
  });
});
