import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { InTerminal, itInTerminal } from '../support/in-terminal.ts';
import { itNeeding } from '../support/it-needing.ts';
import { cleanEnvironment, MAIN } from '../support/run-tidemark.ts';
import { Workplace } from '../support/workplace.ts';

describe('Completion', () => {
  let place: Workplace;
  let env: Record<string, string>;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    const bin = join(place.folder, 'bin');
    mkdirSync(bin);
    const program = join(bin, 'tidemark');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    chmodSync(program, 0o755);
    env = { ...(cleanEnvironment() as Record<string, string>), PATH: `${bin}${delimiter}${process.env.PATH}` };
  });

  afterEach(() => place.close());

  it('lists commands, those of a group, and options, with what they mean', async () => {
    const commands = await candidates('s');
    assert.deepEqual(commands.map(([word]) => word).sort(), [
      'scan',
      'serve',
      'sets',
      'status',
      'streams',
      'subscriptions',
    ]);
    assert.deepEqual(await candidates('sets', 'sho'), [['show', 'Shows one set']]);
    const options = (await candidates('publish', 'maps', '--title', 'x', '--')).map(([word]) => word);
    assert.ok(options.includes('--port') && options.includes('--json'));
    assert.ok(!options.includes('--title'), 'one that was given is not offered again');
    assert.deepEqual(await candidates('no-command', ''), []);
  });

  it('lists values of options, ids of sets, and says where paths are meant', async () => {
    for (const id of ['maps', 'papers'])
      await place.run(['sets', 'add', id, '--url-prefix', `https://example.org/${id}/`]);
    const words = async (...typed: string[]) => (await candidates(...typed)).map(([word]) => word);

    assert.deepEqual(await words('serve', '--log-format', ''), ['auto', 'json', 'text']);
    assert.deepEqual(await words('serve', '--log-format', '=', 'j'), ['json']);
    assert.deepEqual(await words('sets', 'change', 'm'), ['maps']);
    assert.deepEqual(await words('scan', ''), ['maps', 'papers']);
    assert.deepEqual(await words('sets', 'add', ''), [], 'a new set has a new id');
    assert.deepEqual(await words('sets', 'show', '--data', 'elsewhere', ''), []);
    await place.run(['organizations', 'add', 'lane']);
    assert.deepEqual(await words('streams', 'add', ''), ['lane']);
    assert.deepEqual(await words('organizations', 'add', ''), [], 'a new organization has a new id');
    assert.deepEqual(await words('tokens', 'create', '--scope', 'up'), ['upload:*', 'upload:lane']);
    assert.deepEqual(await words('completion', ''), ['bash', 'zsh', 'fish']);
    assert.deepEqual(await words('publish', ''), [':folders']);
    assert.deepEqual(await words('backup', ''), [':files']);
    assert.deepEqual(await words('mirror', ''), ['status']);
    assert.deepEqual(await words('mirror', '--fol'), ['--follow']);
    assert.deepEqual(await words('mirror', 'https://example.org/', ''), [':folders']);
    assert.deepEqual(await words('mirror', 'status', ''), [':folders']);
    assert.deepEqual(await words('serve', '--log-level=de'), ['--log-level=debug']);
    assert.deepEqual(await words('serve', '--data='), []);
    assert.deepEqual(await words('serve', '--no-such='), []);
    assert.deepEqual(await words('help', 'tok'), ['tokens']);
    assert.deepEqual(await words('help', 'tokens', 'rev'), ['revoke']);
    assert.deepEqual(await words('help', 'sets', 'show', ''), []);
  });

  it('of a shell that it does not know is refused, with those that there are', async () => {
    const { exitCode, stderr } = await place.run(['completion', 'tcsh']);
    assert.match(stderr, /there is no completion for "tcsh": use bash, zsh, fish/);
    assert.equal(exitCode, 2);
  });

  it('in bash completes, and never executes what was typed', async () => {
    const script = await scriptOf('bash');
    const complete = (...words: string[]) => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const line = `source '${script}'; COMP_WORDS=(tidemark ${quoted}); COMP_CWORD=${words.length}; _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', line], { cwd: place.folder, env, encoding: 'utf8' }).trim().split('\n');
    };
    assert.deepEqual(complete('sets', 'sho'), ['show']);
    assert.deepEqual(complete('publish', '--robots', ''), ['quiet', 'sitemaps', 'disallow']);
    assert.deepEqual(complete('sets', 'show', '$(touch harm)', '--js'), ['--json']);
    assert.equal(existsSync(join(place.folder, 'harm')), false);
    await place.run(['sets', 'add', 'maps', '--url-prefix', 'https://example.org/maps/']);
    const scope = ['tokens', 'create', '--scope'];
    assert.deepEqual(complete(...scope, 'po'), ['post:*', 'post:maps']);
    assert.deepEqual(complete(...scope, 'post', ':'), ['*', 'maps']);
    assert.deepEqual(complete(...scope, 'post', ':', 'm'), ['maps']);
    assert.deepEqual(complete(...scope, 'post', ':', 'maps', '--js'), ['--json']);
  });

  itInTerminal('in bash completes at Tab, and offers folders where one is meant', async () => {
    const script = await scriptOf('bash');
    mkdirSync(join(place.folder, 'atlas'));
    writeFileSync(join(place.folder, 'atlas.txt'), '');
    await place.run(['sets', 'add', 'maps', '--url-prefix', 'https://example.org/maps/']);
    const shell = new InTerminal([], {
      cwd: place.folder,
      env,
      program: ['bash', '--norc', '--noprofile', '-i'],
    });
    try {
      await shell.says(/bash\S*[#$] $/);
      shell.type(`source '${script}'\n`);
      shell.type('tidemark validat\t');
      await shell.says(/tidemark validate /);
      shell.type('\u0015tidemark publish atl\t');
      await shell.says(/tidemark publish atlas\//);
      shell.type('\u0015tidemark tokens create --scope post:m\t');
      await shell.says(/--scope post:maps /);
    } finally {
      shell.kill();
    }
  });

  itWithShell('zsh', 'in zsh completes', async () => {
    const script = await scriptOf('zsh');
    const complete = (...words: string[]) => {
      // What compinit brings.
      const stubs = `compdef() {}; _files() { print -r -- "files $*" }; _describe() { print -rl -- \${(P)2} }`;
      const typed = words.map((word) => `'${word}'`).join(' ');
      const line = `${stubs}; source '${script}'; words=(tidemark ${typed}); CURRENT=${words.length + 1}; _tidemark`;
      return execFileSync('zsh', ['-f', '-c', line], { cwd: place.folder, env, encoding: 'utf8' }).trim();
    };
    assert.equal(complete('sets', 'sho'), 'show:Shows one set');
    assert.equal(complete('publish', ''), 'files -/');
    assert.equal(complete('backup', ''), 'files');
    assert.equal(complete('serve', '--log-level=de'), '--log-level=debug:');
  });

  itWithShell('fish', 'in fish completes', async () => {
    const script = await scriptOf('fish');
    mkdirSync(join(place.folder, 'atlas'));
    const complete = (line: string) => {
      const command = `source '${script}'; complete --do-complete '${line}'`;
      return execFileSync('fish', ['--no-config', '-c', command], { cwd: place.folder, env, encoding: 'utf8' }).trim();
    };
    assert.equal(complete('tidemark sets sho'), 'show\tShows one set');
    assert.match(complete('tidemark publish at'), /^atlas\//);
    assert.equal(complete('tidemark serve --log-level=de'), '--log-level=debug');
    assert.equal(complete('tidemark help tok'), 'tokens\tTokens: who may post, read private sets, or administer');
  });

  /** The words and meanings that the scripts of the shells get. */
  async function candidates(...words: string[]): Promise<readonly (readonly string[])[]> {
    const { exitCode, stdout, stderr } = await place.run(['completion', 'candidates', '--', ...words]);
    assert.equal(exitCode, 0, stderr);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t'));
  }

  async function scriptOf(shell: string): Promise<string> {
    const file = join(place.folder, `completion.${shell}`);
    writeFileSync(file, (await place.run(['completion', shell])).stdout);
    return file;
  }
});

function itWithShell(shell: string, title: string, test: () => Promise<void>): void {
  const isMissing = spawnSync(shell, ['--version']).error !== undefined;
  itNeeding({ name: shell, missing: isMissing ? `needs ${shell}` : undefined }, title, test);
}
