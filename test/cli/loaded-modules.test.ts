import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { killTidemarks, startProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const PRELOADED = new URL('../support/loaded-modules.ts', import.meta.url);
const CLIENT = '/node_modules/@elastic/elasticsearch/';

describe('The client of Elasticsearch', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  it('is not loaded by a server with a store on SQLite', async () => {
    const server = start(['serve', '--port', '0']);
    await server.says(/http:\/\/\S+:\d+/);
    server.signal('SIGTERM');
    await server.exit();
    const modules = loadedModules();
    assert.match(modules, /\/node_modules\/express\//);
    assert.ok(!modules.includes(CLIENT));
  });

  it('is loaded for a store on Elasticsearch', async () => {
    const command = start(['status'], { TIDEMARK_STORE: 'http://127.0.0.1:1' });
    assert.equal(await command.exit(), 3);
    assert.ok(loadedModules().includes(CLIENT));
  });

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const preload = { NODE_OPTIONS: `--import=${PRELOADED}`, LOADED_MODULES_FILE: folder.at('modules') };
    return startProcess(args, { cwd: folder.path, env: { ...env, ...preload } });
  }

  function loadedModules(): string {
    return readFileSync(folder.at('modules'), 'utf8');
  }
});
