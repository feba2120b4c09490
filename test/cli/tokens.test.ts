import assert from 'node:assert/strict';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const CHANGES = { changes: [{ location: { value: 'a', type: 'rel_path' }, change: 'created' }] };

describeOnEachStore('tokens on the command line', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
  });

  afterEach(() => place.close());

  itOnce('are explained with every form of a scope', async () => {
    const help = (await done(['tokens', 'create', '--help'])).replace(/\s+/g, ' ');
    for (const form of ['post:SET', 'read:SET', 'upload:ORG', 'download:ORG', 'group:NAME', 'metrics', 'administer']) {
      assert.ok(help.includes(form), form);
    }
  });

  it('let a public server start, and are refused when they are revoked meanwhile', async () => {
    const port = await findFreePort();
    const add = ['sets', 'add', 'papers', '--url-prefix', 'https://example.org/', '--private', '--port', `${port}`];
    assert.match(await done(add), /^Added the set papers/);
    const serve = ['serve', '--host', '0.0.0.0', '--port', `${port}`];
    const refused = await place.run(serve);
    assert.match(refused.stderr, /there is no token .*tidemark tokens create/);
    assert.equal(refused.exitCode, 2);

    const made = await place.run(create('harvester', ['post:papers', 'read:papers'], '--expires', '90d'));
    assert.equal(made.exitCode, 0, made.stderr);
    assert.match(made.stdout, /^tdm_[0-9a-f]{12}_[\w-]{43}\n$/);
    const token = made.stdout.trim();
    assert.match(
      made.stderr,
      /Made the token "harvester" \(id [0-9a-f]{12}\) for post:papers, read:papers; it expires at/,
    );
    assert.ok(!made.stderr.includes(token.slice(17)));
    assert.match(
      made.stderr,
      /It is the first token: from now on, posting and administering need a token on servers with a local address/,
    );
    assert.match(made.stderr, /make one that does with "tidemark tokens create --name NAME --scope administer"/);
    const second = await place.run(create('another', ['metrics']));
    assert.doesNotMatch(second.stderr, /first token|--scope administer/);

    const serving = place.startProcess(serve);
    await serving.says(/Serving 1 set/);
    const url = `http://127.0.0.1:${port}`;
    const headers = { Authorization: `Bearer ${token}` };
    const post = () => askJson(`${url}/api/sets/papers/changes`, CHANGES, headers);
    assert.equal((await post()).status, 200);
    const read = (authorization: Record<string, string>) =>
      ask(`${url}/sets/papers/changelist.xml`, { headers: authorization });
    assert.equal((await read(headers)).status, 200);
    assert.equal((await read({})).status, 404);

    // By another process, which does not inform the server.
    assert.match(await done(['tokens', 'revoke', token.slice(4, 16)]), /^Revoked the token "harvester"/);
    await until('the token is refused', async () => (await post()).status === 401);
    await done(['sets', 'change', 'papers', '--public']);
    await until('the set is public', async () => (await read({})).status === 200);
    serving.signal('SIGTERM');
    assert.equal(await serving.exit(), 0);
    assert.ok(!`${serving.stdout}${serving.stderr}`.includes(token.slice(17)));
  });

  itOnce('of an administrator are made without a hint at one', async () => {
    await done(['sets', 'add', 'papers', '--url-prefix', 'https://example.org/']);
    const { stderr } = await place.run(create('me', ['administer', 'metrics']));
    assert.match(stderr, /It is the first token/);
    assert.doesNotMatch(stderr, /--scope administer/);
  });

  it('are listed with what they allow, and not shown again', async () => {
    await done(['sets', 'add', 'papers', '--url-prefix', 'https://example.org/', '--private']);
    const limits = ['--requests-per-minute', '10', '--body-per-minute', 'unlimited'];
    const made = JSON.parse(await done([...create('reader', ['read:*'], ...limits), '--json']));
    const { token, ...view } = made;
    assert.match(token, /^tdm_/);
    assert.deepEqual([view.requestsPerMinute, view.bodyBytesPerMinute], [10, null]);
    const listed = await done(['tokens', 'list', '--json']);
    assert.deepEqual(JSON.parse(listed), { tokens: [view] });
    const table = await done(['tokens', 'list']);
    assert.match(
      table,
      /^ID +NAME +STATE +SCOPES +CREATED +EXPIRES +LAST USED\n[0-9a-f]{12} +reader +valid +read:\* +\S+ +\(never\) +\(never\)\n$/,
    );
    assert.match(await done(['sets', 'list']), /papers \(private\)/);
  });

  itOnce('are revoked by themselves, too, and no message repeats a secret', async () => {
    await done(['sets', 'add', 'papers', '--url-prefix', 'https://example.org/']);
    const token = (await done(create('reader', ['read:*']))).trim();
    for (const given of [`x${token.slice(17)}`, token.slice(5), `${token.slice(0, 10)} ${token.slice(10)}`]) {
      const { exitCode, stderr } = await place.run(['tokens', 'revoke', given]);
      assert.match(stderr, /^tidemark: name a token by its id, .*tokens list" shows it\n$/);
      assert.equal(exitCode, 2);
    }
    // A token from which the last character is missing has the id.
    for (const given of [token.slice(0, -1), token, `Bearer ${token}`]) {
      assert.match(await done(['tokens', 'revoke', given]), /^Revoked the token "reader" \(id [0-9a-f]{12}\)\.\n$/);
    }
  });

  itOnce('are not made when an option is wrong', async () => {
    await done(['sets', 'add', 'papers', '--url-prefix', 'https://example.org/']);
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['tokens', 'create', '--name', 'a'], /required option '--scope <scope>'/],
      [create('a', ['papers']), /"papers" is not a scope: use post:SET/],
      [create('a', ['read:mistyped']), /there is no set "mistyped"/],
      [create('a', ['administer'], '--expires', '2020-01-01'), /2020-01-01 is in the past/],
      [create('a', ['administer'], '--body-per-minute', '2kb'), /is invalid\. "2kb" is too small: use 1mb or more\./],
      [['tokens', 'revoke', '000000000000'], /there is no token with the id "000000000000"/],
      [['sets', 'change', 'papers'], /give at least one setting to change/],
    ];
    for (const [args, message] of wrong) {
      const { exitCode, stdout, stderr } = await place.run(args);
      assert.match(stderr, message);
      assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '));
    }
    assert.match(await done(['tokens', 'list']), /^There is no token\./);
  });

  async function done(args: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  }
});

function create(name: string, scopes: readonly string[], ...more: readonly string[]): readonly string[] {
  return ['tokens', 'create', '--name', name, ...scopes.flatMap((scope) => ['--scope', scope]), ...more];
}
