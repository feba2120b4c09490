import assert from 'node:assert/strict';
import { describeOnEachStore } from '../support/each-store.ts';
import type { FinishedRun } from '../support/run-tidemark.ts';
import { Workplace } from '../support/workplace.ts';

const COUNT = 12_000;
const LINE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z {2}(\/\S+)$/;

describeOnEachStore('resources on the command line', (store) => {
  let place: Workplace;

  before(async () => {
    place = await Workplace.make(store, { mayBeMade: true });
    await run('sets add maps --url-prefix https://example.org/maps/');
    const events = Array.from({ length: COUNT }, (_, number) => eventOf(nameOf(number), 'created'));
    // In another order than that of their paths.
    const input = [...events.reverse(), eventOf(nameOf(7), 'deleted')].join('');
    await run('changes post maps', input);
  });

  after(() => place.close());

  it('are all listed, in the order of their paths, but not those that were deleted', async () => {
    const expected = Array.from({ length: COUNT }, (_, number) => `/${nameOf(number)}`).filter((_, at) => at !== 7);

    const lines = linesOf(await run('resources list maps'));
    const views = linesOf(await run('resources list maps --json'));

    assert.deepEqual(
      lines.map((line) => LINE.exec(line)?.[1]),
      expected,
    );
    assert.deepEqual(
      views.map((view) => JSON.parse(view).uri),
      expected.map((path) => `https://example.org/maps${path}`),
    );
    assert.equal(JSON.parse(views[0]!).length, 5);
  });

  it('are found by a part of their paths, the first hundred by default', async () => {
    const some = await run('resources find maps 0777');
    const first = await run('resources find maps r/');
    const none = await run('resources find maps nowhere');

    const exactly = await run('resources find maps 0777 --limit 12');
    const fewer = await run('resources find maps 0777 --limit 11');

    assert.equal(linesOf(some).length, 12);
    assert.deepEqual([exactly.stdout, exactly.stderr], [some.stdout, '']);
    assert.equal(linesOf(fewer).length, 11);
    assert.match(fewer.stderr, /^These are the first 11; --limit prints more\.$/m);
    assert.equal(linesOf(first).length, 100);
    assert.match(first.stderr, /^These are the first 100; --limit prints more\.$/m);
    assert.deepEqual([none.stdout, none.stderr, none.exitCode], ['', 'No resource was found.\n', 0]);
    const all = await run('resources find maps r/ --limit 12000 --json');
    assert.equal(all.stdout, (await run('resources list maps --json')).stdout);
  });

  async function run(args: string, input = ''): Promise<FinishedRun> {
    return place.run(args.split(' '), { input });
  }
});

function linesOf({ stdout }: FinishedRun): readonly string[] {
  return stdout.trimEnd().split('\n');
}

function nameOf(number: number): string {
  return `r/${String(number).padStart(5, '0')}`;
}

function eventOf(path: string, change: 'created' | 'deleted'): string {
  const state = change === 'created' ? { length: 5 } : {};
  return `${JSON.stringify({ location: { value: path, type: 'rel_path' }, change, ...state })}\n`;
}
