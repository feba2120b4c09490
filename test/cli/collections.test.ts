import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { Workplace } from '../support/workplace.ts';

const env = { TIDEMARK_HARVEST_NETWORKS: '127.0.0.1' };

describe('collections and harvests on the command line', () => {
  let place: Workplace;
  let server: OaiServer;

  beforeEach(async () => {
    [place, server] = await Promise.all([
      Workplace.make(SQLITE),
      OaiServer.start({ records: oaiRecords(5), pageSize: 2, sets: ['maps', 'books'] }),
    ]);
  });
  afterEach(() => Promise.all([place.close(), server.close()]));

  const run = (...args: readonly string[]) => place.run(args, { env });
  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await run(...args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const shown = async (...args: readonly string[]) => JSON.parse(await done(...args, '--json'));
  const add = (...more: readonly string[]) =>
    ['collections', 'add', 'arxiv', '--base-url', server.url, '--format', 'oai_dc', ...more] as const;
  const refused = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await run(...args);
    assert.equal(exitCode, 2, stderr);
    return stderr;
  };

  it('are added, listed, changed and removed (E01)', async () => {
    const text = await done(...add('--title', 'Preprints', '--set', 'maps', '--schedule', '15 2 * * *'));
    assert.equal(text, 'Added the collection arxiv: Example.\n');
    assert.match(await done('collections', 'list'), /\narxiv +oai_dc +never +\d{4}-\d\d-\d\dT02:15 +http:/);
    const view = await shown('collections', 'show', 'arxiv');
    assert.deepEqual([view.provider, view.sets, view.malformed], ['arxiv', ['maps'], 'stop']);
    assert.deepEqual(
      view.repository.sets.map(({ spec }: { readonly spec: string }) => spec),
      ['maps', 'books'],
    );
    assert.match(
      await done('collections', 'show', 'arxiv'),
      /^arxiv: Preprints\n {2}repository: http:.+Example; 2 sets/,
    );

    const changed = await shown('collections', 'change', 'arxiv', '--set', '', '--schedule', '', '--validate');
    assert.deepEqual([changed.sets, changed.schedule, changed.validate], [[], undefined, true]);
    assert.match(await refused('collections', 'change', 'arxiv'), /give something to change: --base-url URL,/);

    assert.equal(
      await done('collections', 'remove', 'arxiv'),
      'Removed the collection arxiv. Its set and its records stay.\n',
    );
    assert.equal(await done('collections', 'list'), 'There is no collection.\n');
  });

  it('are refused with the names that exist, and leave nothing behind (E01, E15)', async () => {
    const wrong = ['collections', 'add', 'arxiv', '--base-url', server.url, '--format', 'oai-dc'] as const;
    assert.match(await refused(...wrong), /no format "oai-dc".*oai_dc/);
    assert.match(
      await refused('collections', 'add', 'Ar', ...add().slice(3)),
      /"Ar" is not a valid id of a collection/,
    );
    assert.match(await refused(...add('--transform', 'none.xsl')), /none\.xsl.* cannot be read/);
    assert.match(
      await refused(...add('--message', 'here')),
      /not a URL: write it as https:\/\/example\.org\/harvested/,
    );
    assert.match(await refused(...add('--set', 'map')), /no set "map".*did you mean "maps"/);
    await done(...add());
    assert.match(await refused(...add()), /there is a collection "arxiv" already/);
    assert.match(await refused('harvest', 'arxvi'), /no collection "arxvi".*did you mean "arxiv"/);
  });

  it('are harvested, with numbers by outcome and exit code 0 when complete', async () => {
    await done(...add());
    const { stdout: text, stderr } = await run('harvest', 'arxiv');
    assert.doesNotMatch(stderr, /ended with|read 5/);
    assert.match((await run('harvests', 'errors', 'arxiv')).stderr, /^The harvest arxiv\/1 has no errors\.$/m);
    assert.match(text, /^arxiv\/1 \(incremental\): complete, status 2\n {2}received: 5 of 5 records in 3 pages\n/);
    assert.match(text, /in the set: 5 created, 0 updated, 0 deleted, 0 unchanged/);

    const [first, ...others] = oaiRecords(5);
    server.change({ records: [{ ...first!, deleted: true }, ...others.slice(1)] });
    const full = await shown('harvest', 'arxiv', '--full', '--force');
    assert.deepEqual([full.status, full.outcome.deleted, full.outcome.unchanged], [2, 2, 3]);
    const { harvests } = await shown('harvests', 'list', 'arxiv');
    assert.deepEqual(
      harvests.map(({ number, kind }: { readonly number: number; readonly kind: string }) => [number, kind]),
      [
        [2, 'full'],
        [1, 'incremental'],
      ],
    );
    assert.match(await done('harvests', 'show', 'arxiv', '1'), /\n {2}all records: 5 of 5 records in 3 pages\n?/);
    await done('collections', 'change', 'arxiv', '--transform', 'nsdl_dc');
    const again = await shown('harvest', 'arxiv', '--again', '2');
    assert.match(
      await done('harvests', 'show', 'arxiv', '3'),
      /\n {2}read again: the responses of harvest 2 and later\n/,
    );
    assert.deepEqual([again.of, again.outcome.updated, again.outcome.created], [2, 3, 0]);
    assert.match(await refused('harvest', 'arxiv', '--full', '--test'), /give one of --full and --test/);
  });

  it('end with 1, and say where, when they are not complete; errors are listed', async () => {
    await done(...add());
    server.change({ fault: { name: 'html' } });
    const failed = await run('harvest', 'arxiv');
    assert.equal(failed.exitCode, 1, failed.stderr);
    assert.match(failed.stdout, /^arxiv\/1 \(incremental\): failed, status 4\n {2}.*page 2/);
    assert.match(failed.stderr, /Nothing was changed/);

    const [first, ...others] = oaiRecords(3);
    server.change({ fault: undefined, records: [{ ...first!, datestamp: 'soon' }, ...others] });
    const partly = await run('harvest', 'arxiv');
    assert.equal(partly.exitCode, 1, partly.stderr);
    assert.match(partly.stdout, /complete with errors, status 3\n/);
    assert.match(await done('harvests', 'errors', 'arxiv'), /^oai:example\.org:1 \(.+\): .*datestamp/);
  });

  it('131: are removed with their records and what was harvested', async () => {
    await done(...add());
    await done('harvest', 'arxiv');
    const removed = await shown('collections', 'remove', 'arxiv', '--confirm');
    assert.deepEqual([removed.removed, removed.records, removed.uploads], ['arxiv', 5, 1]);
    assert.equal(await done('collections', 'list'), 'There is no collection.\n');
    assert.doesNotMatch(await done('sets', 'list'), /arxiv/);
    const left = await readdir(join(place.folder, 'data/artifacts'), { recursive: true, withFileTypes: true });
    const ofStream = left.filter((one) => one.isFile() && /_(uploads|streams)/.test(one.parentPath));
    assert.deepEqual(ofStream, []);
  });

  it('can be left to a server', async () => {
    await done(...add());
    assert.match(await done('harvest', 'arxiv', '--queue'), /^Added the job harvest\/.+ of the harvest arxiv\/1\.\n$/);
    assert.equal((await shown('harvests', 'show', 'arxiv')).state, 'waiting');
  });

  it('are completed at Tab', async () => {
    await done(...add());
    const candidates = async (...words: readonly string[]) => done('completion', 'candidates', '--', ...words);
    assert.equal(await candidates('harvest', 'a'), 'arxiv\t\n');
    assert.equal(await candidates('collections', 'add', 'a'), '');
  });
});
