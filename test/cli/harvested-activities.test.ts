import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { readRecords } from '../support/activity-run.ts';
import { SQLITE } from '../support/each-store.ts';
import { OaiServer, oaiDc, oaiRecords } from '../support/oai-server.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const env = { TIDEMARK_HARVEST_NETWORKS: '127.0.0.1' };

describe('A harvested collection', () => {
  let place: Workplace;
  let server: OaiServer;

  beforeEach(async () => {
    [place, server] = await Promise.all([Workplace.make(SQLITE), OaiServer.start({ records: oaiRecords(3) })]);
    const added = ['collections', 'add', 'arxiv', '--provider', 'cdl', '--base-url', server.url, '--format', 'oai_dc'];
    await done(...added);
    await done('harvest', 'arxiv');
  });
  afterEach(() => Promise.all([place.close(), server.close()]));

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args, { env });
    assert.equal(exitCode, 0, stderr);
    return stdout.trim();
  };
  const originals = async (key: string) => {
    const store = openArtifacts({ kind: 'folder', folder: join(place.folder, 'data/artifacts') });
    const records = await readRecords(store, key, 'OriginalRecord.v1');
    await store.close();
    return records.map(({ id, document }) => [id, document] as const);
  };
  const newest = async () =>
    (await place.run(['artifacts', 'latest', '--activity', 'harvest', '--provider', 'cdl', '--keys'])).stdout.trim();

  it('feeds an activity, by command and by chain, with the metadata of its records', async () => {
    const from = ['--from', 'stream:cdl/arxiv'];
    const [one, ...others] = await originals(await done('activity', 'run', 'harvest', 'cdl', ...from));
    assert.equal(others.length, 2);
    assert.equal(one![0], 'oai:example.org:1');
    assert.match(one![1], /^<oai_dc:dc [^>]*><dc:title>oai:example.org:1<\/dc:title><\/oai_dc:dc>$/);

    await done('activity', 'schedule', 'harvest', 'cdl', ...from, '--after', 'stream');
    const [first, ...unchanged] = oaiRecords(3);
    server.change({
      records: [{ ...first!, datestamp: '2100-01-01T00:00:00Z', metadata: oaiDc(['title', 'New']) }, ...unchanged],
    });
    // Its datestamp is later than the response, which is a warning.
    assert.equal((await place.run(['harvest', 'arxiv'], { env })).exitCode, 1);
    place.startProcess(['work', '--records-poll-interval', '1s'], { env });
    const document = await until('an artifact has the new record', async () => {
      const [[, text] = []] = await originals(await newest());
      return text?.includes('New') && text;
    });
    assert.match(document, /<dc:title>New</);
  });
});
