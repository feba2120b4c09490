import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const MAPPING = {
  language: 'xpath',
  fields: {
    '@type': { value: 'ore:Aggregation' },
    'edm:aggregatedCHO': { fields: { 'dcterms:title': { from: '//title', required: true } } },
  },
};

/** In this process, whose output is that of the tests. */
const WORK = ['work', '--log-level', 'silent'];
/** Milliseconds between two commands that ask for a state. */
const COMMAND_INTERVAL_MS = 400;

describeOnEachStore('activities that follow others', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
    await writeFile(join(place.folder, 'mapping.json'), JSON.stringify(MAPPING));
    await done('organizations', 'add', 'other');
  });
  afterEach(() => place.close());

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const json = async (...args: readonly string[]) => JSON.parse(await done(...args, '--json'));
  const harvest = async (ids: readonly string[], ...more: readonly string[]) => {
    await writeFile(join(place.folder, 'records.ndjson'), ids.map(line).join(''));
    return (await done('activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson', ...more)).trim();
  };
  const chain = async () => {
    await done('activity', 'schedule', 'mapping', 'cdl', '--after', 'harvest', '--transform', 'mapping.json');
    await done('activity', 'schedule', 'enrichment', 'cdl', '--after', 'mapping');
    await done('activity', 'schedule', 'indexing', 'cdl', '--after', 'enrichment');
  };
  const runs = async (activity: string) => (await json('activity', 'list', 'cdl', '--activity', activity)).runs;
  const ids = (count: number) => Array.from({ length: count }, (_, at) => `r${at}`);

  it('lead from each new harvest to the records of a set, without another command', async () => {
    await chain();
    await done('sets', 'add', 'cdl-index', '--records', 'cdl/indexing');
    const port = String(await findFreePort());
    const server = place.start(['serve', '--port', port, '--records-poll-interval', '1s', '--log-level', 'silent']);
    await server.says(/Serving/);
    const url = `http://127.0.0.1:${port}`;
    const list = async () => {
      const response = await fetch(`${url}/sets/cdl-index/resourcelist.xml`);
      return response.ok ? (await response.text()).match(/<loc>[^<]*\/resources\/(r\d+|n)</g)?.length : undefined;
    };
    const first = await harvest(ids(3));
    await until('the records of the first harvest', async () => (await list()) === 3);
    await harvest([...ids(3), 'n'], '--started', new Date(Date.now() - 1).toISOString());
    await until('the records of the second harvest', async () => (await list()) === 4);
    const mappings = await runs('mapping');
    assert.deepEqual(
      mappings.map(({ state, trigger, after }: Record<string, string>) => [state, trigger, after]),
      [
        ['succeeded', 'chain', 'harvest'],
        ['succeeded', 'chain', 'harvest'],
      ],
    );
    assert.equal(mappings[1].generator, first);
    assert.equal((await runs('indexing')).length, 2);
  });

  itOnce(
    'end where a run is stopped by the drop limit, until it is accepted or there is a newer artifact',
    async () => {
      await chain();
      await harvest(ids(10));
      place.start([...WORK, '--records-poll-interval', '1s']);
      await until(
        'the first index',
        async () => (await runs('indexing'))[0]?.state === 'succeeded',
        COMMAND_INTERVAL_MS,
      );
      // Six of ten records have no title: the harvest is as large as before, and the mapping is not.
      const poor = [...ids(4), ...ids(6).map((id) => `poor-${id}`)];
      const key = await harvest(poor);
      const stopped = await until(
        'the second mapping',
        async () => {
          const [run] = await runs('mapping');
          return run.number === 2 && !['waiting', 'running'].includes(run.state) && run;
        },
        COMMAND_INTERVAL_MS,
      );
      assert.deepEqual([stopped.state, stopped.generator, stopped.artifact], ['stopped', key, undefined]);

      const accepted = await place.run([
        'activity',
        'run',
        'mapping',
        'cdl',
        '--transform',
        'mapping.json',
        '--accept-drop',
      ]);
      assert.equal(accepted.exitCode, 1, 'some records failed');
      // It has fewer records than the mapping before, so that the enrichment is stopped in its turn.
      const enriched = await until(
        'the enrichment of what was accepted',
        async () => {
          const [run] = await runs('enrichment');
          return run.number === 2 && !['waiting', 'running'].includes(run.state) && run;
        },
        COMMAND_INTERVAL_MS,
      );
      assert.deepEqual([enriched.state, enriched.generator], ['stopped', accepted.stdout.trim()]);
      assert.equal((await runs('indexing')).length, 1);
      // It was not tried again meanwhile.
      assert.deepEqual(
        (await runs('mapping')).map(({ trigger }: { trigger: string }) => trigger),
        ['command', 'chain', 'chain'],
      );
    },
  );

  itOnce('do not run again for an artifact that was read by hand before', async () => {
    await harvest(ids(2));
    await done('activity', 'run', 'mapping', 'cdl', '--transform', 'mapping.json');
    await chain();
    place.start([...WORK, '--records-poll-interval', '1s']);
    await until('the index', async () => (await runs('indexing'))[0]?.state === 'succeeded', COMMAND_INTERVAL_MS);
    assert.equal((await runs('mapping')).length, 1);
  });

  itOnce('are listed, replaced and removed, and refused when they do not fit', async () => {
    await chain();
    assert.match(
      await done('activity', 'schedules', 'cdl'),
      /^PROVIDER +ACTIVITY +RUNS +OPTIONS\ncdl +mapping +after harvest +\{"transform":"\/.*mapping\.json"\}\ncdl +enrichment +after mapping\ncdl +indexing +after enrichment\n$/,
    );
    await done('activity', 'schedule', 'mapping', 'cdl', '--cron', '15 2 * * *');
    await done('activity', 'schedule', 'indexing', 'cdl', '--remove');
    const { schedules } = await json('activity', 'schedules');
    assert.deepEqual(
      schedules.map(({ activity, cron, after }: Record<string, string>) => [activity, cron, after]),
      [
        ['enrichment', undefined, 'mapping'],
        ['mapping', '15 2 * * *', undefined],
      ],
    );
    const refused: Readonly<Record<string, RegExp>> = {
      'mapping cdl': /name a time \(cron\) or an activity \(after\)/,
      'mapping cdl --after enrichment': /mapping reads the files of normalization or harvest/,
      'mapping cdl --cron nonsense': /"nonsense" is not a schedule/,
      'harvest cdl --cron 0_2_*_*_*': /a harvest needs --from/,
      'mapping cdl --after harvest --from x': /--from is not for mapping/,
      'mapping cdl --remove --after harvest': /give no other option/,
    };
    for (const [line, message] of Object.entries(refused)) {
      const words = line.split(' ').map((word) => word.replaceAll('_', ' '));
      const { exitCode, stderr } = await place.run(['activity', 'schedule', ...words]);
      assert.equal(exitCode, 2, line);
      assert.match(stderr, message, line);
    }
  });
});

function line(id: string): string {
  const title = id.startsWith('poor-') ? '' : `<title>${id}</title>`;
  return `${JSON.stringify({ id, document: `<record>${title}</record>`, mimetype: 'application/xml' })}\n`;
}
