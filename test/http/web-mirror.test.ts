import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { mirrorCommands } from '../../src/publish/mirror-commands.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { SQLITE } from '../support/each-store.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { closeApps, makeFolder, startApp } from '../support/start-app.ts';
import { pageAt } from '../support/web-source.ts';

describe('The commands that copy a set', () => {
  afterEach(closeApps);

  it('are on its page, and do what they say', async () => {
    const started = await startApp(SQLITE);
    const root = await makeFolder(started, 'files');
    await writeFile(join(root, 'a.txt'), 'the bytes');
    const { sourceOf } = started.app.sources;
    const { sets, updater } = started.app;
    const set = await sets.add({ slug: 'files', origin: originOfRoot(root) });
    assert.doesNotMatch(await pageAt(`${started.url}/sets/files/`), /tidemark mirror/, 'before it is read');
    await sync({ set, source: sourceOf(set), updater });
    await sets.markReady('files');
    const [ours, reference] = mirrorCommands(set, started.url);
    const text = await pageAt(`${started.url}/sets/files/`);
    for (const { command } of [ours!, reference!]) assert.ok(text.includes(`>${command}<`), command);
    assert.ok(text.includes(`>${started.url}/sets/files/resourcelist.xml<`));

    const cwd = await makeFolder(started, 'elsewhere');
    const words = ours!.command.split(' ');
    assert.deepEqual([words[0], words.at(-1)], ['tidemark', '--follow']);
    const { exitCode, stderr } = await runTidemark(words.slice(1, -1), { cwd });
    assert.equal(exitCode, 0, stderr);
    assert.equal(await readFile(join(cwd, 'files-copy/a.txt'), 'utf8'), 'the bytes');
  });

  it('copy to a folder that is not named as the set is: the published folder may have that name', () => {
    for (const { command } of mirrorCommands(
      { slug: 'files', urlPrefix: 'https://example.org/' },
      'https://example.org',
    ))
      assert.ok(!command.split(' ').includes('files'), command);
  });

  it('are words of a shell, whatever the addresses have', async () => {
    const urlPrefix = "https://example.org/it's/a(b)&c;$d/";
    const [, reference] = mirrorCommands({ slug: 'a', urlPrefix }, 'https://example.org');
    const script = reference!.command.replace('resync-sync', "printf '%s\\n'");
    const { stdout } = await promisify(execFile)('sh', ['-c', script]);
    assert.equal(stdout.split('\n').at(-3), urlPrefix);
  });

  it('send a token to a private set', () => {
    const commands = mirrorCommands(
      { slug: 'a', urlPrefix: 'https://example.org/', private: true },
      'https://example.org',
    );
    assert.deepEqual(
      commands.map(({ command }) => command),
      ['tidemark mirror https://example.org/sets/a/capabilitylist.xml a-copy --follow --token-file token.txt'],
    );
  });
});
