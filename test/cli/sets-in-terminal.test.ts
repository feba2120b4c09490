import assert from 'node:assert/strict';
import { SQLITE } from '../support/each-store.ts';
import { CTRL_C, InTerminal, itInTerminal } from '../support/in-terminal.ts';
import { Workplace } from '../support/workplace.ts';

describe('Commands on sets that take something from clients, in a terminal', () => {
  let place: Workplace;
  let running: InTerminal | undefined;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    await place.run(['sets', 'add', 'papers', '--url-prefix', 'https://papers.example.org/']);
    const event = { location: { type: 'rel_path', value: 'a' }, change: 'created' };
    const { exitCode, stderr } = await place.run(['changes', 'post', 'papers'], {
      input: `${JSON.stringify(event)}\n`,
    });
    assert.equal(exitCode, 0, stderr);
  });

  afterEach(async () => {
    running?.kill();
    await place.close();
  });

  const QUESTIONS: readonly (readonly [args: string, question: RegExp, done: RegExp])[] = [
    [
      'sets remove papers',
      /Remove it\? The set papers has 1 change: clients lose it for good/,
      /Removed the set papers/,
    ],
    [
      'sets renew papers',
      /Begin a new history\? It makes every client copy "papers" anew/,
      /Renewed papers; its epoch is now/,
    ],
    ['sets move papers https://next.example.org/', /Move it\? Every URI of papers begins with/, /its epoch is now 2/],
  ];
  for (const [args, question, done] of QUESTIONS) {
    itInTerminal(`ask before "tidemark ${args}", and take no answer but yes for one`, async () => {
      const refused = start(args);
      await refused.says(question);
      await refused.says(/\[y\/N\] /);
      refused.type('\n');
      assert.equal(await refused.exit(), 2, refused.text);
      assert.match(refused.text, /Say --confirm/);
      assert.equal((await shown()).epoch, 1);

      const asked = start(args);
      await asked.says(/\[y\/N\] /);
      asked.type('y\n');
      assert.equal(await asked.exit(), 0, asked.text);
      assert.match(asked.text, done);
    });

    it(`refuse "tidemark ${args}" where they cannot ask`, async () => {
      const { exitCode, stderr } = await place.run(args.split(' '));
      assert.equal(exitCode, 2);
      assert.match(stderr, /Say --confirm/);
      assert.equal((await shown()).epoch, 1);
    });
  }

  for (const [args, message] of [
    ['sets renew nosuch', /there is no set "nosuch"/],
    ['sets move nosuch https://next.example.org/', /there is no set "nosuch"/],
    ['sets move papers foo', /"foo" is not a URL prefix/],
  ] as const) {
    it(`refuse "tidemark ${args}" before they ask`, async () => {
      const { exitCode, stderr } = await place.run(args.split(' '));
      assert.match(stderr, message);
      assert.equal(exitCode, 2);
    });
  }

  itInTerminal('do nothing when Ctrl-C comes in place of an answer', async () => {
    const asked = start('sets remove papers');
    await asked.says(/\[y\/N\] /);
    asked.type(CTRL_C);
    assert.equal(await asked.exit(), 1, asked.text);
    assert.equal((await shown()).changes, 1);
  });

  function start(args: string): InTerminal {
    running = new InTerminal(args.split(' '), { cwd: place.folder });
    return running;
  }

  async function shown() {
    return JSON.parse((await place.run(['sets', 'show', 'papers', '--json'])).stdout);
  }
});
