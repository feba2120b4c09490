import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { documentedSettings } from '../../src/config/settings.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const FILE = 'tidemark.config.json';

describe('tidemark init', () => {
  const folder = useTempFolder();

  const init = (...args: readonly string[]) => runTidemark(['init', ...args], { cwd: folder.path });
  const load = () => loadConfiguration({ flags: {}, environment: {}, workingDirectory: folder.path });

  it('writes a file that changes nothing, and names every setting, for its owner alone', async () => {
    const before = load();
    const { exitCode, stdout } = await init();

    assert.equal(exitCode, 0);
    assert.match(stdout, /^Wrote .*tidemark\.config\.json: every setting is a comment in it/);
    assert.deepEqual(load(), before);
    const text = readFileSync(join(folder.path, FILE), 'utf8');
    for (const [name, { variable }] of documentedSettings()) {
      assert.match(text, new RegExp(`${variable}\\]\\n  // "${name}": `));
    }
    assert.equal(statSync(join(folder.path, FILE)).mode & 0o777, 0o600);
  });

  it('writes the defaults: a setting whose slashes are removed is as before', async () => {
    const { configuration } = load();
    await init();
    const file = join(folder.path, FILE);
    const lines = readFileSync(file, 'utf8').split('\n');
    // `indexPrefix` needs a store on Elasticsearch.
    const stays = (line: string) => line.includes('"…"') || line.includes('"indexPrefix"');
    writeFileSync(file, lines.map((line) => (stays(line) ? line : line.replace('// "', '"'))).join('\n'));

    assert.deepEqual(load().configuration, configuration);
    assert.ok(load().given.size > 15);
  });

  it('overwrites nothing', async () => {
    folder.write(FILE, '{"port": 9000}');
    const { exitCode, stderr } = await init();

    assert.equal(exitCode, 2);
    assert.match(stderr, /tidemark\.config\.json exists, and stays as it is: name another file/);
    assert.equal(readFileSync(join(folder.path, FILE), 'utf8'), '{"port": 9000}');
    assert.equal((await init('other.json')).exitCode, 0);
  });

  it('says which folder is missing', async () => {
    const { exitCode, stderr } = await init('nowhere/config.json');
    assert.match(stderr, /there is no folder .*nowhere$/m);
    assert.equal(exitCode, 2);
  });

  it('writes a file that commands read, also with comments behind a setting', async () => {
    folder.write(FILE, '{\n  // the port\n  "port": 9000, /* of the proxy: "http://localhost:9000" */\n}\n');
    assert.equal(load().configuration.port, 9000);
    folder.write(FILE, '{\n  // the port\n  "port": 9000\n  "host": "::1"\n}\n');
    assert.throws(load, /is not JSON: .*line 4/);
  });
});
