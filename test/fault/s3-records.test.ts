import assert from 'node:assert/strict';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { openArtifacts, parseArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { cutRequest, FaultProxy } from '../support/fault-proxy.ts';
import { findFreePort } from '../support/free-port.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { environmentOf, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describe('records in a bucket whose S3 server does not answer', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  let proxy: FaultProxy;
  let artifacts: ArtifactStore;
  let place: Workplace;

  beforeEach(async () => {
    proxy = await FaultProxy.start(s3.endpoint);
    artifacts = openArtifacts(parseArtifacts(rootOf(s3, bucket.name)));
    place = await Workplace.make(SQLITE);
    await putArtifact(artifacts, [record('a')], { start: '2017-02-09T10:44:28Z' });
  });
  afterEach(async () => {
    await place.close();
    await artifacts.close();
    await proxy.close();
  });

  const options = () => ({
    env: { ...environmentOf(s3), TIDEMARK_ARTIFACTS: rootOf({ endpoint: proxy.url }, bucket.name) },
  });

  it('leave the server running, which goes on by itself', async () => {
    const added = await place.run(['sets', 'add', 'cdl', '--records', 'cdl/harvest'], options());
    assert.equal(added.exitCode, 0, added.stderr);
    const port = await findFreePort();
    const server = place.startProcess(['serve', '--port', String(port), '--records-poll-interval', '1s'], options());
    const resources = async () => JSON.parse((await ask(`http://127.0.0.1:${port}/api/sets/cdl`)).text).resources;
    await server.says(/Serving 1 set/);
    await until('the first comparison', async () => (await resources()) === 1);

    const down = proxy.on(() => true, cutRequest);
    await server.says(/cannot be reached/);
    assert.equal((await ask(`http://127.0.0.1:${port}/readyz`)).status, 200);

    down.remove();
    await putArtifact(artifacts, [record('a'), record('b')], { start: '2017-02-10T10:00:00Z' });
    await until('the next comparison', async () => (await resources()) === 2);
  });

  it('end a command with the reason', async () => {
    proxy.on(() => true, cutRequest);
    const latest = ['artifacts', 'latest', '--activity', 'harvest', '--provider', 'cdl'];
    const { exitCode, stdout, stderr } = await place.runProcess(latest, options());
    assert.deepEqual([exitCode, stdout], [3, '']);
    assert.match(stderr, /^tidemark: .* cannot be reached[^\n]*\n$/);
  });
});
