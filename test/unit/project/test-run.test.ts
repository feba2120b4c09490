import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const CHECKOUT = join(import.meta.dirname, '../../..');
const IT_NEEDING = pathToFileURL(join(CHECKOUT, 'test/support/it-needing.ts')).href;

describe('A run of the tests', () => {
  for (const name of ['.mocharc.json', '.mocharc.all.json', '.mocharc.quick.json']) {
    it(`fails when a test is focused (${name})`, () => {
      assert.equal(JSON.parse(read(name)).forbidOnly, true);
    });
  }

  it('is not begun with a focused test', () => {
    assert.equal(JSON.parse(read('biome.json')).linter.rules.suspicious.noFocusedTests, 'error');
  });

  for (const [where, environment, expected] of [
    ['skips, elsewhere than in CI,', { CI: '', CI_LACKS: '' }, { passing: 0, pending: 1, failing: 0 }],
    ['fails in CI for', { CI: 'true', CI_LACKS: 'something-else' }, { passing: 0, pending: 0, failing: 1 }],
    [
      'skips in CI, when it is said to be missing,',
      { CI: 'true', CI_LACKS: 'more it' },
      { passing: 0, pending: 1, failing: 0 },
    ],
  ] as const) {
    it(`${where} a test that needs what is missing`, async () => {
      assert.deepEqual(await runNeedingTest(environment), expected);
    });
  }
});

/** Counts the tests of a run in which the only test needs what is missing. */
async function runNeedingTest(environment: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-run-'));
  const file = join(folder, 'needing.test.ts');
  const lines = [
    `import { itNeeding } from '${IT_NEEDING}';`,
    `itNeeding({ name: 'it', missing: 'needs it' }, 'works', () => {});`,
  ];
  writeFileSync(file, lines.join('\n'));
  const args = [join(CHECKOUT, 'node_modules/mocha/bin/mocha.js'), '--no-config', '--reporter', 'json', file];
  const env = { ...process.env, ...environment };
  try {
    // A failed test is an exit code above 0, and a report all the same.
    const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch((error) => error);
    const { passes, pending, failures } = JSON.parse(stdout).stats;
    return { passing: passes, pending, failing: failures };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function read(name: string): string {
  return readFileSync(join(CHECKOUT, name), 'utf8');
}
