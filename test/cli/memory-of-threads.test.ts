import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { findFreePort } from '../support/free-port.ts';
import { killTidemarks, startProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('The heaps of the C library in a server', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  async function environmentOf(env: Record<string, string | undefined>): Promise<readonly string[]> {
    const running = startProcess(['serve', '--port', String(await findFreePort())], { cwd: folder.path, env });
    await running.says(/Serving/);
    const environment = readFileSync(`/proc/${running.pid}/environ`, 'utf8').split('\0');
    running.signal('SIGTERM');
    assert.equal(await running.exit(), 0);
    assert.doesNotMatch(running.stderr, /warning/i);
    return environment.filter((line) => line.startsWith('MALLOC_'));
  }

  it('are two, in the process that was started', async () => {
    assert.deepEqual(await environmentOf({ MALLOC_ARENA_MAX: undefined }), ['MALLOC_ARENA_MAX=2']);
  });

  it('are as many as a person says', async () => {
    assert.deepEqual(await environmentOf({ MALLOC_ARENA_MAX: '5' }), ['MALLOC_ARENA_MAX=5']);
  });
});
