import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { ask } from '../support/ask.ts';
import { killTidemarks, startProcess } from '../support/run-tidemark.ts';
import { environmentOf, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const PRELOADED = new URL('../support/loaded-modules.ts', import.meta.url);
const CLIENT = '/node_modules/@elastic/elasticsearch/';

describe('The code that a command has compiled', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  it('is used again, also after commands whose heaps may grow more', async () => {
    for (const args of ['sets list', 'mirror http://127.0.0.1:1/ copy', 'dumps list maps']) {
      await startProcess(args.split(' '), { cwd: folder.path }).exit();
    }
    const again = startProcess(['sets', 'list'], { cwd: folder.path, env: { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' } });
    await again.exit();
    assert.match(again.stderr, /sets\/sets-list\.ts was accepted/);
    assert.doesNotMatch(again.stderr, /was rejected/);
  });
});

describe('What a server loads', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  it('is none of the client of Elasticsearch, fetch, Intl and traces, with an empty store on SQLite', async () => {
    const server = start(['serve', '--port', '0']);
    const [url] = await server.says(/http:\/\/localhost:\d+/);
    assert.equal((await ask(`${url}/`)).status, 200);
    server.signal('SIGTERM');
    await server.exit();
    const modules = loadedModules();
    assert.match(modules, /\/node_modules\/express\//);
    assert.match(modules, /NativeModule http$/m);
    assert.ok(!modules.includes(CLIENT));
    assert.doesNotMatch(modules, /undici|^Intl: |opentelemetry/m);
  });

  it('is the client of Elasticsearch, for a store on it', async () => {
    const command = start(['status'], { TIDEMARK_STORE: 'http://127.0.0.1:1' });
    assert.equal(await command.exit(), 3);
    const modules = loadedModules();
    assert.ok(modules.includes(CLIENT));
    // The only file of it is the empty module in its place.
    assert.doesNotMatch(modules, /apache-arrow\/(?!Arrow\.node)/);
  });

  describe('for a dump in a bucket', () => {
    const s3 = useS3();
    useKeys(s3);
    const bucket = useBucket(s3);

    it('is the client of S3 in the main thread alone, which stores what the threads pack', async () => {
      mkdirSync(folder.at('files'));
      writeFileSync(folder.at('files/a'), 'some text');
      const env = { ...environmentOf(s3), TIDEMARK_ARTIFACTS: rootOf(s3, bucket.name, 'artifacts') };
      for (const args of ['sets add maps --root files', 'scan maps', 'dumps build maps']) {
        const command = start(args.split(' '), env);
        assert.equal(await command.exit(), 0, command.stderr);
      }
      assert.match(loadedModules(), /client-s3/);
      const ofThreads = readdirSync(folder.path).filter((name) => name.startsWith('modules-'));
      const modules = ofThreads.map((name) => readFileSync(folder.at(name), 'utf8')).join('\n');
      assert.match(modules, /NativeModule zlib$/m);
      assert.doesNotMatch(modules, /client-s3/);
    });
  });

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const preload = { NODE_OPTIONS: `--import=${PRELOADED}`, LOADED_MODULES_FILE: folder.at('modules') };
    return startProcess(args, { cwd: folder.path, env: { ...env, ...preload } });
  }

  function loadedModules(): string {
    return readFileSync(folder.at('modules'), 'utf8');
  }
});
