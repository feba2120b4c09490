import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { repositoryFile } from '../../support/compose-file.ts';
import { itNeeding } from '../../support/it-needing.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const script = repositoryFile('ops/systemd/tidemark-service');
const units = ['tidemark.service', 'tidemark@.service'].map((name) => repositoryFile(`ops/systemd/${name}`));
const operating = repositoryFile('docs/operating.md');

describe('The service of systemd', () => {
  const folder = useTempFolder();

  it('and its script have the same program, user, folder and settings', () => {
    for (const unit of units) {
      assert.equal(entryOf(unit, 'ExecStart').split(' ').slice(0, 2).join(' '), '/opt/tidemark/bin/tidemark serve');
      assert.equal(entryOf(unit, 'User'), 'tidemark');
      assert.equal(entryOf(unit, 'EnvironmentFile'), '-/etc/tidemark/environment');
      // %S is /var/lib.
      assert.equal(entryOf(unit, 'WorkingDirectory'), '%S/tidemark');
      assert.equal(entryOf(unit, 'Environment'), 'NODE_ENV=production TIDEMARK_DATA=%S/tidemark');
      assert.match(script, new RegExp(`^umask ${entryOf(unit, 'UMask')}$`, 'm'));
    }
    assert.match(script, /runuser --user tidemark -- \/opt\/tidemark\/bin\/tidemark "\$@"$/m);
    assert.match(script, /^export NODE_ENV=production TIDEMARK_DATA=\/var\/lib\/tidemark$/m);
    assert.match(script, /^cd \/var\/lib\/tidemark$/m);
    assert.match(operating, /npm install --global --prefix \/opt\/tidemark /);
    assert.match(operating, /useradd --system --home-dir \/var\/lib\/tidemark .* tidemark$/m);
  });

  const canChangeUser = process.getuid?.() === 0 && spawnSync('runuser', ['--version']).error === undefined;
  const missing = canChangeUser ? undefined : 'needs root, and runuser of util-linux';
  itNeeding({ name: 'runuser', missing }, 'has a script that runs a command as it runs itself', () => {
    const here = { '/var/lib/tidemark': 'state', '/etc/tidemark/environment': 'environment', '/opt/tidemark': 'opt' };
    chmodSync(folder.path, 0o755);
    mkdirSync(folder.at('state'));
    folder.write(
      'opt/bin/tidemark',
      '#!/bin/sh\nprintf "%s|" "$(id -un)" "$PWD" "$TIDEMARK_DATA" "$TIDEMARK_TOKEN" "$CALLED_AS" "$@"\n',
    );
    chmodSync(folder.at('opt/bin/tidemark'), 0o755);
    writeFileSync(folder.at('environment'), 'TIDEMARK_TOKEN=open-sesame\n', { mode: 0o600 });
    const moved = Object.entries(here).reduce((text, [path, name]) => text.replaceAll(path, folder.at(name)), script);
    folder.write('script', moved.replace('--user tidemark', '--user daemon'));

    const env = { ...process.env, SUDO_USER: 'me' };
    const said = execFileSync('sh', [folder.at('script'), 'sets', 'add', 'my maps'], { encoding: 'utf8', env });
    const state = folder.at('state');
    assert.equal(said, `daemon|${state}|${state}|open-sesame|sudo tidemark-service|sets|add|my maps|`);
  });
});

describe('The version of Node that is needed', () => {
  it('is said by the manifest and the README, and by no other page', () => {
    const { engines } = JSON.parse(repositoryFile('package.json'));
    const [needed] = /\d+/.exec(engines.node)!;

    assert.equal(engines.node, `>=${needed}`);
    assert.deepEqual(repositoryFile('README.md').match(/Node \d+/g), [`Node ${needed}`]);
    for (const from of repositoryFile('Dockerfile').matchAll(/^FROM node:(\d+)/gm)) assert.equal(from[1], needed);
    for (const page of ['operating', 'tutorial', 'configuration', 'architecture'])
      assert.doesNotMatch(repositoryFile(`docs/${page}.md`), /Node \d+/, page);
    for (const text of [...units, script]) assert.doesNotMatch(text, /node \(\d+|Node \d+/i);
  });
});

function entryOf(unit: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
}
