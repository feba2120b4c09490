import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { buildProgram } from '../../src/cli/build-program.ts';
import { allCommands, loadCommands } from '../../src/cli/command-list.ts';
import { Terminal } from '../../src/cli/ui/terminal.ts';
import { type FinishedRun, killTidemarks, MAIN, runTidemark } from '../support/run-tidemark.ts';

describe('the command line', () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'tidemark-usage-'));
  });

  afterEach(async () => {
    await killTidemarks();
    rmSync(cwd, { recursive: true });
  });

  it('names every wrong setting at once, and does nothing', async () => {
    writeFileSync(join(cwd, 'tidemark.config.json'), '{"prot": 8080}');
    const run = await tidemark(['publish', '.', '--port', '99999'], {
      TIDEMARK_STORE: 'https://user:sec/ret@host:9200',
    });

    assert.deepEqual(run, {
      exitCode: 2,
      stdout: '',
      stderr:
        'tidemark: 3 settings are wrong:\n' +
        '  --port "99999" is not a port number: use a number from 0 to 65535\n' +
        '  TIDEMARK_STORE is not a URL: use http://HOST:PORT or https://USER:PASSWORD@HOST:PORT, and write %2C %2F %3F %23 %25 for , / ? # % in a password\n' +
        '  tidemark.config.json: prot is not a setting; did you mean port?\n',
    });
    assert.equal(existsSync(join(cwd, 'data')), false);
  });

  it('gives errors as JSON when that was asked for', async () => {
    const run = await tidemark(['status', '--json'], { TIDEMARK_PORT: 'x', TIDEMARK_CACHE: '1gb' });
    const { error } = JSON.parse(run.stderr);

    assert.equal(run.exitCode, 2);
    assert.equal(error.code, 'invalid');
    assert.deepEqual(error.problems.map(({ from }: { from: string }) => from).sort(), [
      'TIDEMARK_CACHE',
      'TIDEMARK_PORT',
    ]);
  });

  it('names the help of the command that was wrong', async () => {
    const add = await tidemark(['sets', 'add', 'maps', '--roof', 'maps']);
    assert.equal(add.exitCode, 2);
    assert.match(add.stderr, / sets add --help" says what it takes\.\n$/);
    const two = await tidemark(['publish', 'maps', 'books']);
    assert.match(two.stderr, /It publishes one folder\. "\S+ sets add ID --root FOLDER" adds another one/);
    assert.match((await tidemark(['sest'])).stderr, /"[^"]*(tidemark|main\.js) --help" says what it takes\.\n$/);
  });

  it('shows the state of a copy whose source was never found', async () => {
    const { exitCode } = await tidemark(['mirror', 'http://127.0.0.1:1/', 'copy']);
    assert.equal(exitCode, 3);
    const { stdout } = await tidemark(['mirror', 'status', 'copy']);
    assert.match(stdout, /copy is for a copy that has not begun: no source was found yet\.\n/);
  });

  const WRONG: readonly (readonly [args: string, message: RegExp])[] = [
    ['pubish .', /unknown command 'pubish'; did you mean publish\?/],
    ['help pubish', /unknown command 'pubish'; did you mean publish\?/],
    ['help sets ad', /unknown command 'ad'; did you mean add\?/],
    ['sets ad --help', /unknown command 'ad'; did you mean add\?/],
    ['publish', /missing required argument 'folder'/],
    ['publish a b', /too many arguments/],
    ['publish . --prot 1', /unknown option '--prot'; did you mean --port\?/],
    ['publish . --page-size 0', /--page-size.*Use a whole number from 1 to 50000/],
    ['publish . --id Ä', /"Ä" is not a set id/],
    [
      'sets add x',
      /needs a root \(--root FOLDER or --root s3:\/\/BUCKET\/PREFIX\), records \(--records PROVIDER\/ACTIVITY\), another source \(--from URL\), or the URL prefix \(--url-prefix URL\)/,
    ],
    ['sets add x --url-prefix ftp://example.org/', /"ftp:\/\/example\.org\/" is not a URL prefix/],
    ['sets add x --url-prefix https://example.org/?', /"https:\/\/example\.org\/\?" is not a URL prefix/],
    ['sets add x --url-prefix https://example.org/#', /"https:\/\/example\.org\/#" is not a URL prefix/],
    ['sets add x --url-prefix https://example.org/a?b', /is not a URL prefix.*without a query/],
    ['sets add x --root . --publish-hash crc32', /Use one of sha-256, sha-1, md5/],
    ['sets add x --url-prefix https://me:SECRET@example.org/', /^(?!.*SECRET).* has a user name or a password/],
    ['sets add x --url-prefix https://:SECRET@example.org/', /^(?!.*SECRET).* has a user name or a password/],
    ['sets add x --root . --dump-package-bytes 0', /--dump-package-bytes.*Use a whole number of bytes, 1 or more/],
    ['sets add x --root . --dump-package-bytes 1e9', /--dump-package-bytes.*Use a whole number of bytes, 1 or more/],
    ['sets add x --root . --dump-compression zip', /--dump-compression.*Use by-type or none/],
    ['sets add X! --root .', /"X!" is not a set id/],
    ['sets add x --root nowhere', /there is no folder .*nowhere/],
    ['changes list x --from 2026-01-01T12:00', /--from.*without a time zone/],
    ['changes post x --results some', /Use all or failed/],
    ['verify x', /there is no store .*tidemark\.db: name the data folder with --data/],
    ['demo --every 0s', /--every.*Use 1s or more/],
    ['demo --every 25d', /--every.*24d at most/],
    ['mirror http://localhost/ copy --follow --interval 0s', /--interval.*Use 1s or more/],
    ['mirror http://localhost/ copy --follow --interval 25d', /--interval.*24d at most/],
    ['--data data sets list', /unknown option '--data'\nOptions follow the command: "[^"]* status --json"\./],
    ['artifacts cat copy.avro', /there is no file \S+copy\.avro, and "copy\.avro" is not the key of an Avro file/],
    ['completion bash zsh', /name one shell/],
    ['init a.json b.json', /too many arguments/],
    ['status --config none.json', /none\.json does not exist/],
  ];
  for (const [args, message] of WRONG) {
    it(`refuses "tidemark ${args}" and says why`, async () => {
      const run = await tidemark(args.split(' '));

      assert.match(run.stderr, /^tidemark: /);
      assert.match(run.stderr, message);
      assert.doesNotMatch(run.stderr, /\n {4}at /);
      assert.equal(run.exitCode, 2);
    });
  }

  it('leaves no store behind when a new set has a wrong URL prefix', async () => {
    assert.equal((await tidemark(['sets', 'add', 'x', '--url-prefix', 'ftp://example.org/'])).exitCode, 2);
    assert.equal(existsSync(join(cwd, 'data')), false);
  });

  it('refuses a wrong set id also when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const run = await tidemark(['publish', '.', '--id', 'Ä', '--port', String(port)]);

      assert.match(run.stderr, /"Ä" is not a set id/);
    } finally {
      other.close();
    }
  });

  it('shows help for a group without a command, and counts that as wrong usage', async () => {
    const run = await tidemark(['sets']);

    assert.match(run.stderr, /add .*<id>(.|\n)*remove/);
    assert.equal(run.exitCode, 2);
  });

  it('shows the help of a command, also when help comes first', async () => {
    for (const command of [['sets', 'add'], ['serve'], ['sets'], []]) {
      const [first, last] = [await tidemark(['help', ...command]), await tidemark([...command, '--help'])];
      assert.deepEqual(first, last);
      assert.equal(first.exitCode, 0);
    }
    assert.match((await tidemark(['help', 'sets', 'add'])).stdout, /--url-prefix/);
  });

  it('lists all commands and the exit codes in its help', async () => {
    const { stdout, exitCode } = await tidemark(['--help']);

    for (const { group, usage } of await allCommands())
      assert.match(stdout, new RegExp(`^ {2}${group ?? usage.split(' ')[0]} `, 'm'));
    for (const code of [0, 1, 2, 3, 130]) assert.match(stdout, new RegExp(`^ {2}${code} {2,}\\S`, 'm'));
    assert.equal(exitCode, 0);
  });

  it('lists the commands by topic, in lines that fit', async () => {
    const { stdout } = await tidemark(['--help']);

    assert.match(stdout, /^Publish:\n {2}publish .*\n(.|\n)*^Contents of sets:\n(.|\n)*^Check:\n(.|\n)*^Operate:\n/m);
    assert.doesNotMatch(stdout, /^Other commands:$/m);
    assert.deepEqual(
      stdout.split('\n').filter(({ length }) => length > 80),
      [],
    );
  });

  it('shows examples that the command takes', async () => {
    for (const { group, usage, examples } of await allCommands()) {
      const words = [group, usage.split(' ')[0]!].filter((word) => word !== undefined);
      const { stdout } = await tidemark([...words, '--help']);
      assert.ok(examples.length > 0, words.join(' '));
      for (const [example, meaning] of examples) {
        assert.ok(stdout.includes(`  tidemark ${example}\n      ${meaning}\n`), example);
        assert.equal(await takes(example), words.join(' '), example);
      }
    }
  });

  it('names the variable of each setting, and groups options by what they are about', async () => {
    const { stdout } = await tidemark(['publish', '--help']);
    const [own, settings, every] = ['\nOptions:', '\nSettings (', '\nOptions of every command:'].map((heading) =>
      stdout.indexOf(heading),
    );

    assert.ok(own! < stdout.indexOf('--title <text>') && stdout.indexOf('--title <text>') < settings!);
    assert.ok(settings! < stdout.indexOf('--port <number>') && stdout.indexOf('--port <number>') < every!);
    assert.match(stdout.replaceAll(/\s+/g, ' '), /--port <number> [^[]*\[TIDEMARK_PORT\]/);
  });

  /** Which command takes a command line as it is written for a shell; it is not run. */
  async function takes(example: string): Promise<string> {
    const [own = ''] = example.split(/ [|<>] /);
    const words = [...own.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    let taken = '';
    const commands = await loadCommands(words);
    const seen = commands.map((command) => ({
      ...command,
      run: async () => {
        taken = [command.group, command.usage.split(' ')[0]].filter((word) => word !== undefined).join(' ');
        return 0 as const;
      },
    }));
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    await buildProgram(seen, {
      terminal: new Terminal({ stdin, stdout, stderr }, false),
      program: 'tidemark',
      environment: {},
      workingDirectory: cwd,
      signals: new EventEmitter(),
      onExit: () => {},
    }).parseAsync(words, { from: 'user' });
    return taken;
  }

  it('loads the one command that is asked for, with those below it', async () => {
    for (const { group, usage } of await allCommands()) {
      const words = [group, usage.split(' ')[0]!].filter((word) => word !== undefined);
      const loaded = await loadCommands([...words, '--help']);

      assert.deepEqual(
        loaded
          .filter((command) => command.group !== usage.split(' ')[0])
          .map((command) => [command.group, command.usage]),
        [[group, usage]],
      );
    }
  });

  it('lists settings and exit codes in the help of a command, but nothing for tests only', async () => {
    const { stdout } = await tidemark(['serve', '--help']);

    assert.match(stdout, /--base-url <url>(.|\n)*--store <location>(.|\n)*Exit codes:/);
    assert.doesNotMatch(stdout, /failpoint/i);
  });

  it('shows no default of a flag that begins with --no-, which would read as if the flag were given', async () => {
    const { stdout } = await tidemark(['serve', '--help']);
    const meaning = /--no-jobs((.|\n)*?)\[TIDEMARK_JOBS\]/.exec(stdout)?.[1];

    assert.match(meaning ?? '', /runs\s+no jobs/);
    assert.doesNotMatch(meaning ?? '', /Default/);
  });

  it('says that its output cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, [MAIN, '--help'], { cwd, stdio: ['ignore', full, 'pipe'] });
      const [stderr, [exitCode]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
      assert.equal(stderr, 'tidemark: the output cannot be written: ENOSPC: no space left on device, write\n');
      assert.equal(exitCode, 3);
    } finally {
      closeSync(full);
    }
  });

  it('prints its version', async () => {
    assert.match((await tidemark(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  function tidemark(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<FinishedRun> {
    return runTidemark(args, { cwd, env });
  }
});
