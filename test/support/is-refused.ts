import assert from 'node:assert/strict';
import { askElasticsearch } from './elasticsearch-indices.ts';
import type { ElasticsearchSource, ProcessOptions } from './elasticsearch-source.ts';

const COMMANDS = [['serve', '--port', '0'], ['migrate'], ['sets', 'list']];

/** Every command, or the one that is named, says what is wrong, with exit code 3 and no word of a password. */
export async function isRefused(
  source: ElasticsearchSource,
  message: RegExp,
  options: ProcessOptions | 'migrate' = {},
): Promise<void> {
  const commands = options === 'migrate' ? [['migrate']] : COMMANDS;
  const before = options === 'migrate' ? [] : await indices(source);
  const runs = commands.map((command) => source.run(command, options === 'migrate' ? {} : options));
  for (const { exitCode, stdout, stderr } of await Promise.all(runs)) {
    assert.match(stderr, message);
    assert.match(stderr, /^tidemark: /);
    assert.doesNotMatch(stderr, /password/);
    assert.equal(stdout, '');
    assert.equal(exitCode, 3);
  }
  if (options !== 'migrate') assert.deepEqual(await indices(source), before);
}

async function indices({ url, prefix }: ElasticsearchSource): Promise<readonly string[]> {
  return Object.keys(await askElasticsearch(url, 'GET', `${prefix}*/_alias`)).sort();
}
