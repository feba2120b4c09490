import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { Workplace } from '../support/workplace.ts';

describe('The server of another source at the same base URL', () => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });
  afterEach(() => place.close());

  it('is not taken for the own one', async () => {
    const env = { TIDEMARK_PORT: String(await findFreePort()) };
    const run = (...args: string[]) => place.run([...args, '--store', 'sqlite:own.db'], { env });
    await place.run(['organizations', 'add', 'lane'], { env });
    await place.run(['streams', 'add', 'lane', 'main'], { env });
    const running = place.start(['serve'], { env });
    await running.says(/Serving/);
    writeFileSync(join(place.folder, 'deleted.txt'), '1\n');
    assert.equal((await place.run(['upload', 'lane', 'deleted.txt'], { env })).exitCode, 0);

    await run('organizations', 'add', 'lane');
    await run('streams', 'add', 'lane', 'main');
    assert.equal(JSON.parse((await run('status', '--json')).stdout).server.state, 'none');
    const upload = await run('upload', 'lane', 'deleted.txt');
    assert.match(upload.stderr, /no server of this store runs/);
    assert.equal(upload.exitCode, 3);
    const { server } = JSON.parse((await place.run(['status', '--json'], { env })).stdout);
    assert.equal(server.state, 'running');
  });
});
