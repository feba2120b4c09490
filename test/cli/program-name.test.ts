import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, MAIN } from '../support/run-tidemark.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the program, as it is called', () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'tidemark-called-'));
  });

  afterEach(() => rmSync(cwd, { recursive: true }));

  const CALLS: readonly (readonly [title: string, program: string, env: () => NodeJS.ProcessEnv])[] = [
    ['by a path', `node ${MAIN}`, () => environment()],
    ['as the command of a clone', 'tidemark', () => environment(join(ROOT, 'bin'))],
    ['by a path of that command', join(ROOT, 'bin/tidemark'), () => environment()],
  ];
  for (const [title, program, env] of CALLS) {
    it(`prints commands that work when it is called ${title}`, () => {
      const { stderr } = shell(`${program} status`, env());
      const [, printed = ''] = /make one with "(.*) publish"/.exec(stderr) ?? assert.fail(stderr);
      assert.match(shell(`${printed} --version`, env()).stdout, /^\d+\.\d+\.\d+\n$/);
      for (const command of ['', ' serve', ' sets list']) {
        const { stderr: advice } = shell(`${program}${command} --bogus`, env());
        assert.match(advice, new RegExp(`^"${RegExp.escape(printed + command)} --help" says what it takes\\.$`, 'm'));
      }
      assert.match(
        shell(`${program} sets list --help`, env()).stdout,
        new RegExp(`^ {2}${RegExp.escape(printed)} sets list$`, 'm'),
      );
    });
  }

  it('prints commands that work when npm starts it', () => {
    const { stderr } = shell(`npm start --silent --prefix '${ROOT}' -- status --data '${cwd}'`, environment());
    assert.match(
      stderr,
      /make one with "npm start -- publish", "npm start -- sets add" or "npm start -- datasets ingest"/,
    );
  });

  it('quotes a path with spaces, and keeps it short', () => {
    mkdirSync(join(cwd, 'my programs'));
    writeFileSync(join(cwd, 'my programs/main.js'), `import ${JSON.stringify(MAIN)};`);
    const { stderr } = shell("node 'my programs/main.js' status", environment());
    assert.match(stderr, /make one with "node 'my programs\/main\.js' publish"/);
  });

  it('completes for an alias, which a script does not know', () => {
    const { stdout } = shell(`node ${MAIN} completion bash`, environment());
    writeFileSync(join(cwd, 'completion.bash'), stdout);
    const line = `source ./completion.bash; COMP_WORDS=(tidemark sets sho); COMP_CWORD=2; _tidemark; echo "\${COMPREPLY[@]}"`;
    const { stdout: found, stderr } = spawnSync('bash', ['-c', line], { cwd, env: environment(), encoding: 'utf8' });
    assert.equal(found, 'show\n', stderr);
  });

  it('says in one sentence that Node is too old, or that packages are missing', () => {
    writeFileSync(join(cwd, 'old.cjs'), "Object.defineProperty(process.versions, 'node', { value: '18.20.8' });");
    const old = shell(`node --require ./old.cjs ${MAIN} status`, environment());
    assert.match(
      old.stderr,
      /^tidemark: this is Node 18\.20\.8, and Tidemark needs Node \d+ or newer: run "npm ci" in .*\n$/,
    );
    assert.equal(old.status, 2);

    for (const name of ['src', 'package.json']) cpSync(join(ROOT, name), join(cwd, name), { recursive: true });
    const bare = shell('node src/main.js status', environment());
    assert.equal(bare.stderr, `tidemark: packages that it needs are missing: run "npm ci" in ${cwd}\n`);
    assert.equal(bare.status, 2);

    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    rmSync(join(cwd, 'src/cli/exit-code.ts'));
    const torn = shell('node src/main.js status', environment());
    assert.match(torn.stderr, /Cannot find module '\S+src\/cli\/exit-code\.ts'/);
    assert.doesNotMatch(torn.stderr, /npm ci/);
  });

  function shell(line: string, env: NodeJS.ProcessEnv) {
    return spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' });
  }
});

/** Without what names the program in other tests. */
function environment(...folders: readonly string[]): NodeJS.ProcessEnv {
  const { CALLED_AS: _, ...rest } = cleanEnvironment();
  return { ...rest, PATH: [...folders, dirname(process.execPath), process.env.PATH].join(delimiter) };
}
