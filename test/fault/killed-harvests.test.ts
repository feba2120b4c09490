import assert from 'node:assert/strict';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { Workplace } from '../support/workplace.ts';

const ENVIRONMENT = { TIDEMARK_HARVEST_NETWORKS: '127.0.0.1', TIDEMARK_LOG_LEVEL: 'error' };
/** Pages that are requested twice at most: one that was stored, and not recorded. */
const REPEATED: readonly string[] = ['harvest.stored'];

describeOnEachStore('a harvest whose process is killed', (store, itOnce) => {
  let place: Workplace;
  let server: OaiServer;

  beforeEach(async () => {
    server = await OaiServer.start({ records: oaiRecords(25), pageSize: 10 });
    place = await Workplace.make(store);
    await done('collections', 'add', 'arxiv', '--base-url', server.url, '--format', 'oai_dc');
  });
  afterEach(async () => {
    await place.close();
    await server.close();
  });

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json'], { env: ENVIRONMENT });
    assert.equal(exitCode, 0, stderr + stdout);
    return JSON.parse(stdout);
  };

  for (const failpoint of [...FAILPOINTS.harvest, 'resumable.whole', 'resumable.recorded'] as const) {
    const test = failpoint === 'harvest.recorded' || failpoint === 'harvest.received' ? it : itOnce;
    test(`at ${failpoint} goes on where it was, and applies once`, async () => {
      const pass = failpoint === 'harvest.stored' || failpoint === 'harvest.recorded' ? '@2' : '';
      const env = { ...ENVIRONMENT, TIDEMARK_FAILPOINT: `${failpoint}:kill${pass}` };
      assert.equal((await place.runProcess(['harvest', 'arxiv'], { env })).exitCode, null);

      const run = await done('harvest', 'arxiv');

      const isSecond = failpoint === 'harvest.ended';
      assert.deepEqual([run.number, run.status], [isSecond ? 2 : 1, 2]);
      const { created } = (await done('harvests', 'show', 'arxiv', '1')).outcome;
      const pages = server.queriesOf('ListRecords').length - (isSecond ? 1 : 0);
      assert.deepEqual({ created, pages }, { created: 25, pages: REPEATED.includes(failpoint) ? 4 : 3 });
    });
  }
});
