import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

describe('an upload whose file cannot be fetched', () => {
  let place: Workplace;
  let serving: RunningTidemark | undefined;
  let away: Server;
  let requests: number;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    requests = 0;
    away = createServer((_request, response) => {
      requests += 1;
      response.writeHead(503).end();
    }).listen(0, '127.0.0.1');
    await once(away, 'listening');
    await done('organizations', 'add', 'lane');
    await done('streams', 'add', 'lane', 'main');
  });

  afterEach(async () => {
    serving?.signal('SIGTERM');
    await serving?.exit();
    serving = undefined;
    await place.close();
    away.closeAllConnections();
    away.close();
  });

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };

  it('has failed after the time of the setting, with a last attempt at its end (135)', async () => {
    const port = await findFreePort();
    const args = ['serve', '--port', `${port}`, '--upload-networks', '127.0.0.1', '--upload-fetch-retry', '1ms'];
    serving = place.start(args);
    await serving.says(/Serving \d+ sets/);
    const url = `http://127.0.0.1:${(away.address() as AddressInfo).port}/new.mrc`;
    await done('upload', 'lane', '--url', url, '--server', `http://127.0.0.1:${port}`);
    const shown = await place.run(['uploads', 'show', 'lane/main/1', '--wait']);
    assert.equal(shown.exitCode, 1, shown.stdout + shown.stderr);
    assert.match(shown.stdout, /status: failed\n {2}failed at .*503/);
    assert.equal(requests, 2);
    const job = JSON.parse(await done('jobs', 'show', 'process-upload/lane~main~1', '--json'));
    assert.deepEqual([job.state, job.attempts], ['failed', 1]);
  });

  it('keeps no upload of another organization waiting, however many there are of the first one', async () => {
    away.removeAllListeners('request');
    await done('organizations', 'add', 'green');
    await done('streams', 'add', 'green', 'main');
    const port = await findFreePort();
    const server = `http://127.0.0.1:${port}`;
    serving = place.start(['serve', '--port', `${port}`, '--upload-networks', '127.0.0.1']);
    await serving.says(/Serving \d+ sets/);
    const url = `http://127.0.0.1:${(away.address() as AddressInfo).port}/never.mrc`;
    for (let at = 0; at < 3; at++) await done('upload', 'lane', '--url', url, '--server', server);
    writeFileSync(join(place.folder, 'new.mrc'), marc('1'));
    await done('upload', 'green', 'new.mrc', '--server', server);
    assert.match(await done('uploads', 'show', 'green/main/1', '--wait'), /status: processed/);
  });

  it('is refused a number of retries that is none', async () => {
    const { exitCode, stderr } = await place.run(['serve', '--upload-retries', '-1']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /upload-retries.* "-1" is not a whole number from 0 to 100/);
  });
});
