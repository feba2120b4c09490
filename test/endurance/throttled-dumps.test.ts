import assert from 'node:assert/strict';
import { parseArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { type Asked, FaultProxy } from '../support/fault-proxy.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { refuseWith } from '../support/s3-refusal.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { requireWholeDump, scan } from '../support/whole-dump.ts';

describe('a build of a dump with an S3 server that throttles', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  let proxy: FaultProxy;
  beforeEach(async () => {
    proxy = await FaultProxy.start(s3.endpoint);
  });
  afterEach(async () => {
    await closeApps();
    await proxy.close();
  });

  const isPackage = ({ method, path }: Asked) => method !== 'GET' && path.includes('/_dumps/');
  const isFile = ({ method, path }: Asked) =>
    method === 'GET' && path.includes('/files/') && !path.includes('list-type');

  async function start(): Promise<StartedApp> {
    const at = { endpoint: proxy.url };
    const artifacts = parseArtifacts(rootOf(at, bucket.name, 'artifacts'));
    const started = await startApp(SQLITE, { artifacts });
    for (let file = 0; file < 30; file++) await bucket.put(`files/${file}`, `${file}`);
    const origin = originOfRoot(rootOf(at, bucket.name, 'files'));
    await started.app.sets.add({ slug: 'maps', origin, pageEntries: 15 });
    await scan(started);
    return started;
  }

  it('fails when packages are refused for long, and stores all when that ends soon', async () => {
    const started = await start();
    const { dumps } = started.app.publishing;
    const refused = proxy.on(isPackage, refuseWith(503, 'SlowDown'));
    await assert.rejects(
      dumps.build('maps', {}),
      (error) => isTidemarkError(error, 'unavailable') && /asks to slow down/.test(error.message),
    );
    assert.ok(refused.met > 0);
    refused.remove();
    assert.equal((await ask(`${started.url}/sets/maps/resourcedump.xml`)).status, 404);

    let refusals = 2;
    const soon = proxy.on(
      (asked) => isPackage(asked) && refusals > 0,
      (execute, asked) => {
        refusals -= 1;
        return refuseWith(503, 'SlowDown')(execute, asked);
      },
    );
    await dumps.build('maps', {});
    assert.ok(soon.met > 0);
    await requireWholeDump(started);
  });

  it('fails when the bytes are refused, and leaves nothing out', async () => {
    const started = await start();
    const { dumps } = started.app.publishing;
    const refused = proxy.on(isFile, refuseWith(503, 'SlowDown'));
    await assert.rejects(dumps.build('maps', {}), (error) => isTidemarkError(error, 'unavailable'));
    assert.ok(refused.met > 0);
    refused.remove();
    const built = await dumps.build('maps', {});
    assert.deepEqual(
      built.packages.map(({ missing }) => missing),
      built.packages.map(() => 0),
    );
    await requireWholeDump(started);
  });
});
