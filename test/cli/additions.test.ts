import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { killTidemarks, runProcess, startProcess } from '../support/run-tidemark.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');

/** A file to write, or a line before which another text is put. Paths are below src. */
type Addition = readonly [path: string, text: string] | readonly [path: string, text: string, before: string];

/**
 * What is touched for an addition, as docs/architecture.md says: a row for a setting, a file and a row for the rest.
 * One line more each: the import of a job or a plan.
 */
const ADDITIONS: readonly Addition[] = [
  // A setting of the server.
  [
    'config/settings.ts',
    `  greeting: setting({
    variable: 'TIDEMARK_GREETING',
    flag: '--greeting <text>',
    takenBy: SERVERS,
    schema: values.text,
    default: 'hello',
    meaning: 'What it says.',
  }),
`,
    '  failpoint: setting({',
  ],
  // A setting of a set.
  [
    'config/set/set-settings.ts',
    `  motto: setting({
    field: 'motto',
    schema: title,
    meaning: 'Its motto.',
    default: '(none)',
    givenTo: ALL,
    flags: [one('--motto <text>', title)],
  }),
`,
    '  ...DUMP_SETTINGS,',
  ],
  // A command.
  [
    'cli/commands/sets/sets-greet.ts',
    `import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';

export const setsGreet: CliCommand = {
  group: 'sets',
  usage: 'greet',
  summary: 'Greets.',
  examples: [['sets greet', 'greets']],
  settings: ['greeting'],

  async run({ terminal, loaded }) {
    const { greeting } = loaded.configuration;
    await terminal.print(greeting, { greeting });
    return EXIT.done;
  },
};
`,
  ],
  [
    'cli/command-list.ts',
    "  'sets greet': async () => (await import('./commands/sets/sets-greet.ts')).setsGreet,\n",
    "  'sets list':",
  ],
  // A job.
  [
    'jobs/kinds/greet.ts',
    `import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

export const greet = defineJob({
  kind: 'greet',
  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('0 0 1 1 *', timeZone), payload: {} }],
  run: async (_payload, { configuration: { greeting } }) => ({ greeting }),
});
`,
  ],
  ['jobs/job-list.ts', "import { greet } from './kinds/greet.ts';\n", 'import { keepList }'],
  ['jobs/job-list.ts', '  greet,\n', '  keepList,'],
  // A document.
  [
    'publish/motto.ts',
    `import { fingerprint } from './cache/document-reference.ts';
import type { DocumentPlan, SetInput } from './document-plan.ts';
import { documentName } from './pages/document-name.ts';

export function planMotto({ published: { set, folder }, uri }: SetInput): DocumentPlan {
  const text = \`<motto>\${set.motto}</motto>\`;
  const version = set.epochStart;
  return {
    reference: { folder, name: documentName(uri), version, fingerprint: fingerprint(text) },
    task: () => ({ newest: version, job: { kind: 'text', text } }),
  };
}
`,
  ],
  ['publish/rows/change-list-rows.ts', "import { planMotto } from '../motto.ts';\n", 'import { planChangeTopic'],
  [
    'publish/rows/change-list-rows.ts',
    `  motto: {
    of: 'set',
    path: '/sets/:set/motto.xml',
    operation: { id: 'motto', summary: 'Its motto' },
    listed: { title: 'Motto', purpose: 'A motto in one line.' },
    page: { title: 'Motto', purpose: 'A motto in one line.' },
    isXmlOnly: true,
    entries: 'documents',
    plan: planMotto,
  },
`,
    '  changeTopic: {',
  ],
];

describe('a program with an addition of each kind', () => {
  let folder: string;
  let main: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-additions-'));
    main = join(folder, 'src/main.js');
    await cp(join(CHECKOUT, 'src'), join(folder, 'src'), { recursive: true });
    await cp(join(CHECKOUT, 'package.json'), join(folder, 'package.json'));
    // Not the folder itself: the program keeps its cache in it.
    await mkdir(join(folder, 'node_modules'));
    for (const name of await readdir(join(CHECKOUT, 'node_modules'))) {
      if (name.startsWith('.')) continue;
      await symlink(join(CHECKOUT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    for (const addition of ADDITIONS) await add(join(folder, 'src'), addition);
  });
  afterEach(killTidemarks);
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  const run = async (args: readonly string[], env = {}) => {
    const { exitCode, stdout, stderr } = await runProcess(args, { cwd: folder, main, env });
    return { exitCode, stdout, stderr };
  };

  it('has the setting of the server as a flag, a variable, a default, and a field of the configuration', async () => {
    assert.equal((await run(['sets', 'greet'])).stdout, 'hello\n');
    assert.equal((await run(['sets', 'greet'], { TIDEMARK_GREETING: 'hi' })).stdout, 'hi\n');
    assert.equal((await run(['sets', 'greet', '--greeting', 'hey'], { TIDEMARK_GREETING: 'hi' })).stdout, 'hey\n');
    assert.match((await run(['serve', '--help'])).stdout, /--greeting <text> +What it says\. Default: hello\./);
  });

  it('has the setting of a set, the document and the job', async () => {
    const server = startProcess(['serve', '--port', '0'], { cwd: folder, main });
    const [url] = await server.says(/http:\/\/localhost:\d+/);
    assert.equal(
      (await run(['sets', 'add', 'maps', '--url-prefix', 'http://example.org/', '--motto', 'All'])).exitCode,
      0,
    );
    const wrong = await run(['sets', 'change', 'maps', '--motto', 'x'.repeat(501)]);
    assert.deepEqual([wrong.exitCode, /longer than 500 characters/.test(wrong.stderr)], [2, true]);
    const shown = JSON.parse((await run(['sets', 'show', 'maps', '--json'])).stdout);
    assert.equal(shown.motto, 'All');
    assert.equal(shown.documents.motto, `${url}/sets/maps/motto.xml`);
    assert.equal(await (await fetch(shown.documents.motto)).text(), '<motto>All</motto>');
    const jobs = await (await fetch(`${url}/api/jobs`)).json();
    assert.ok(
      jobs.scheduled.some(({ kind }: { readonly kind: string }) => kind === 'greet'),
      'the job is scheduled',
    );
  });
});

async function add(src: string, [path, text, before]: Addition): Promise<void> {
  const file = join(src, path);
  if (before === undefined) return writeFile(file, text, { flag: 'wx' });
  const source = await readFile(file, 'utf8');
  const at = source.indexOf(`\n${before}`) + 1;
  assert.notEqual(at, 0, `${path} has the line ${before}`);
  await writeFile(file, source.slice(0, at) + text + source.slice(at));
}
