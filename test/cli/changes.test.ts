import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOnEachStore } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import type { FinishedRun } from '../support/run-tidemark.ts';
import { Workplace } from '../support/workplace.ts';

describeOnEachStore('changes on the command line', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store, { mayBeMade: true });
    await tidemark('sets add maps --url-prefix https://example.org/maps/');
  });

  afterEach(() => place.close());

  it('are posted from a file, and from standard input', async () => {
    writeFileSync(join(place.folder, 'events.ndjson'), `${created('a')}\n${created('b')}\n`);

    const fromFile = await tidemark('changes post maps events.ndjson --json');
    const fromInput = await tidemark('changes post maps -', `${created('b')}\n${created('c')}`);

    assert.deepEqual(JSON.parse(fromFile.stdout), { applied: 2, unchanged: 0, rejected: 0, complete: true });
    assert.equal(fromInput.stdout, '2 events: 1 applied, 1 unchanged, 0 rejected\n');
    assert.deepEqual([fromFile.exitCode, fromInput.exitCode], [0, 0]);
  });

  itOnce('that are rejected are named with their line, and do not affect others', async () => {
    const input = `${created('a')}\n\nnonsense\n${created('../b')}\n${created('c')}\n`;

    const { stdout, exitCode } = await tidemark('changes post maps', input);

    const lines = stdout.split('\n');
    assert.match(lines[0] ?? '', /^line 3: rejected \(not-json\): /);
    assert.match(lines[1] ?? '', /^line 4: rejected \(outside-root\): /);
    assert.deepEqual(lines.slice(2), ['4 events: 2 applied, 0 unchanged, 2 rejected', '']);
    assert.equal(exitCode, 1);
  });

  itOnce('are all reported with --results all', async () => {
    const { stdout } = await tidemark('changes post maps --results all --json', `${created('a')}\n${created('a')}\n`);
    const [first, second, last] = jsonLines(stdout);

    assert.match(first.datetime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.deepEqual({ ...first, datetime: '' }, { number: 1, status: 'applied', change: 'created', datetime: '' });
    assert.deepEqual(second, { number: 2, status: 'unchanged', reason: 'same-state' });
    assert.deepEqual(last, { applied: 1, unchanged: 1, rejected: 0, complete: true });
  });

  it('may be any number', async () => {
    const input = Array.from({ length: 12_000 }, (_, number) => `${created(`r/${number}`)}\n`).join('');

    const { stdout } = await tidemark('changes post maps', input);
    const listed = await tidemark('changes list maps --json');

    assert.match(stdout, /^12,000 events: 12000 applied/);
    assert.equal(listed.stdout.split('\n').length, 12_001);
  });

  it('are listed as events that can be posted again', async () => {
    const event = {
      change: 'created',
      length: 5,
      hash: `sha-256:${'a'.repeat(64)}`,
      mime: 'text/plain',
      lastmod: '2026-01-31T12:00:00Z',
    };
    const location = { value: 'a b.txt', type: 'rel_path' };
    await tidemark(
      'changes post maps',
      JSON.stringify({ ...event, location, ln: [{ rel: 'describedby', href: location }] }),
    );

    const { stdout } = await tidemark('changes list maps --json');
    const again = await tidemark('changes post maps', stdout);

    assert.equal(again.stdout, '1 event: 0 applied, 1 unchanged, 0 rejected\n');
    assert.equal(JSON.parse(stdout).location.value, 'a b.txt');
  });

  itOnce('are listed from a time to a time, both included', async () => {
    await tidemark('changes post maps', ['a', 'b', 'c'].map((name) => `${created(name)}\n`).join(''));
    const { stdout } = await tidemark('changes list maps');
    const times = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    const [from, until] = [times[1], times[2]];

    assert.match(
      (await tidemark(`changes list maps --from ${from}`)).stdout,
      /^\S+ {2}created {2}\/b\n\S+ {2}created {2}\/c\n$/,
    );
    assert.match(
      (await tidemark(`changes list maps --from ${from} --until ${from}`)).stdout,
      /^\S+ {2}created {2}\/b\n$/,
    );
    assert.equal((await tidemark(`changes list maps --until ${until}`)).stdout, stdout);
    const day = times[0]!.slice(0, 10);
    const dayAfter = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    assert.equal((await tidemark(`changes list maps --from ${day} --until ${dayAfter}`)).stdout, stdout);
    assert.equal((await tidemark(`changes list maps --from ${dayAfter.replaceAll('-', '')}_235959`)).stdout, '');
    assert.equal((await tidemark('changes list maps --until 20170209')).stdout, '');
    assert.match(
      (await tidemark('changes list maps --from 2017-02-30')).stderr,
      /It is not a day or time that exists: use one such/,
    );
  });

  it('that were acknowledged before a signal stay, and the command says what was not posted', async () => {
    const input = `${created('a')}\n${created('b')}\n`;
    const args = ['changes', 'post', 'maps', '--results', 'all'];
    const posting = place.start(args, { input, leaveInputOpen: true });
    await posting.says(/line 2: created/);

    posting.signal('SIGINT');

    assert.equal(await posting.exit(), 1);
    assert.match(posting.stdout, /2 events: 2 applied, 0 unchanged, 0 rejected; the rest was not posted\n$/);
    assert.match(posting.stderr, /tidemark: stopped before it was complete\n$/);
    assert.match((await tidemark('changes list maps')).stdout, /\/a\n.*\/b\n$/);
  });

  itOnce('of an unknown set or file are refused', async () => {
    const unknownSet = await tidemark('changes post mops', created('a'));
    const unknownFile = await tidemark('changes post maps none.ndjson');

    assert.match(unknownSet.stderr, /there is no set "mops"; there is maps\n/);
    assert.match(unknownFile.stderr, /none\.ndjson cannot be read/);
    assert.deepEqual([unknownSet.exitCode, unknownFile.exitCode], [2, 2]);
  });

  function tidemark(args: string, input = ''): Promise<FinishedRun> {
    return place.run(args.split(' '), { input });
  }
});

function created(value: string): string {
  return JSON.stringify({ location: { value, type: 'rel_path' }, change: 'created', length: 1 });
}
