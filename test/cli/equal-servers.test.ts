import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { parseExposition, sampleOf } from '../support/exposition.ts';
import { findFreePort } from '../support/free-port.ts';
import { killTidemarks, MAIN, type RunningTidemark } from '../support/run-tidemark.ts';
import { environmentOf, rootOf, useBucket, useS3 } from '../support/s3.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { testConfiguration } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

/** A server is replaced within this. */
const JOB_LEASE = '10s';

interface Server {
  readonly running: RunningTidemark;
  readonly url: string;
}

/** A store, folders, and servers that are all alike. */
class EqualServers {
  readonly place: Workplace;

  constructor(place: Workplace) {
    this.place = place;
  }

  /** Adds sets, each with a folder that has one file. */
  async addFolders(slugs: readonly string[]): Promise<void> {
    const app = await openApp(testConfiguration(join(this.place.folder, 'data'), { store: this.place.store.location }));
    await app.sets.useBaseUrl('http://localhost', false);
    for (const slug of slugs) {
      await this.put(slug, 'first');
      await app.sets.add({ slug, origin: { kind: 'folder', path: join(this.place.folder, slug) } });
    }
    await app.close();
  }

  async put(slug: string, name: string): Promise<void> {
    await mkdir(join(this.place.folder, slug), { recursive: true });
    await writeFile(join(this.place.folder, slug, name), `${slug} ${name}`);
  }

  async start(env: Readonly<Record<string, string>> = {}, more: { readonly main?: string } = {}): Promise<Server> {
    const port = String(await findFreePort());
    const args = ['serve', '--port', port, '--base-url', 'http://localhost', '--no-jobs', '--s3-poll-interval', '1h'];
    const running = this.place.startProcess(args, { env: { TIDEMARK_JOB_LEASE: JOB_LEASE, ...env }, ...more });
    await running.says(/"event":"serving"/);
    return { running, url: `http://127.0.0.1:${port}` };
  }

  /** The process ids of those that scan, by their sets. */
  async scanners(): Promise<ReadonlyMap<string, number>> {
    const { stdout, stderr } = await this.place.run(['status', '--json']);
    assert.equal(stderr, '');
    const sets = JSON.parse(stdout).sets as readonly { readonly set: string; readonly scanner?: string }[];
    return new Map(sets.map(({ set, scanner }) => [set, Number(scanner?.split(':')[1])]));
  }
}

async function scannedBy({ url }: Server): Promise<number> {
  return sampleOf(parseExposition((await ask(`${url}/metrics`)).text), 'tidemark_scanned_sets', {});
}

async function resourcesOf({ url }: Server, slug: string): Promise<number> {
  return (await askJson(`${url}/api/sets/${slug}`)).body.resources;
}

/** Names of files, and how each was changed. */
async function changesOf({ url }: Server, slug: string): Promise<readonly string[]> {
  const { body } = await askJson(`${url}/api/sets/${slug}/changes`);
  return body.changes.map(({ key, change }: Record<string, string>) => `${change} ${key}`);
}

describeOnEachStore('Servers that are equal', (store, itOnce) => {
  let servers: EqualServers;

  beforeEach(async () => {
    servers = new EqualServers(await Workplace.make(store));
  });
  afterEach(() => servers.place.close());

  it('share the sets; one that ends, and one that is killed, is replaced by the others', async () => {
    const slugs = Array.from({ length: 12 }, (_, at) => `set-${at}`);
    await servers.addFolders(slugs);
    const all = await Promise.all([servers.start(), servers.start(), servers.start()]);
    const shared = async () => {
      const counts = await Promise.all(all.map(scannedBy));
      return counts.every((count) => count > 0) && counts[0]! + counts[1]! + counts[2]! === slugs.length;
    };
    await until('all sets are shared', shared);
    const everywhere = async (count: number, server: Server) => {
      const { body } = await askJson(`${server.url}/api/sets?limit=1000`);
      return body.sets.every(({ resources }: { readonly resources: number }) => resources === count);
    };
    await until('all were read', () => everywhere(1, all[2]!));

    const [ending, killed, last] = all as [Server, Server, Server];
    ending.running.signal('SIGTERM');
    assert.equal(await ending.running.exit(), 0, ending.running.stderr);
    for (const slug of slugs) await servers.put(slug, 'second');
    await until('all found the second file', () => everywhere(2, last));

    await killed.running.kill();
    for (const slug of slugs) await servers.put(slug, 'third');
    await until('one found the third file', () => everywhere(3, last));
    assert.equal(await scannedBy(last), slugs.length);
    assert.deepEqual(new Set((await servers.scanners()).values()), new Set([last.running.pid]));
    for (const slug of slugs.slice(0, 5)) {
      const created = ['first', 'second', 'third'].map((name) => `created /${name}`);
      assert.deepEqual([...(await changesOf(last, slug))].sort(), created);
    }
  });

  it('drop what one posts late that was stopped for longer than its lease', async () => {
    await servers.addFolders(['maps']);
    // It stops itself when it has made sure that the set is its own, before it posts what it has found.
    const stopped = await servers.start({ TIDEMARK_FAILPOINT: 'scan.posting:stop' });
    const next = await servers.start();
    await until('another one has taken over', async () => (await resourcesOf(next, 'maps')) === 1);
    await rm(join(servers.place.folder, 'maps', 'first'));
    await servers.put('maps', 'second');
    const found = ['created /first', 'created /second', 'deleted /first'];
    await until('it goes on', async () => (await changesOf(next, 'maps')).length === found.length);

    stopped.running.signal('SIGCONT');
    await stopped.running.says(/other servers scan its sets/);
    await servers.put('maps', 'third');
    await until('the next change', async () => (await changesOf(next, 'maps')).length > found.length);
    assert.deepEqual([...(await changesOf(next, 'maps'))].sort(), [...found, 'created /third'].sort());
  });

  itOnce('begin at once after the only one was killed, and after one that ends, whatever the lease', async () => {
    await servers.addFolders(['maps']);
    const lease = { TIDEMARK_JOB_LEASE: '1h' };
    const first = await servers.start(lease);
    await until('the first file', async () => (await resourcesOf(first, 'maps')) === 1);
    await first.running.kill();
    await servers.put('maps', 'second');
    const second = await servers.start(lease);
    await until('the second file', async () => (await resourcesOf(second, 'maps')) === 2);

    const third = await servers.start(lease);
    second.running.signal('SIGTERM');
    assert.equal(await second.running.exit(), 0, second.running.stderr);
    await servers.put('maps', 'third');
    await until('the third file', async () => (await resourcesOf(third, 'maps')) === 3);
  });

  itOnce('let a command scan, and go on after it', async () => {
    await servers.addFolders(['maps']);
    const server = await servers.start();
    await until('the first file', async () => (await resourcesOf(server, 'maps')) === 1);
    const scanned = await servers.place.run(['scan', 'maps', '--rehash', '--json'], {
      env: { TIDEMARK_JOB_LEASE: JOB_LEASE },
    });
    assert.equal(scanned.exitCode, 0, scanned.stderr);
    const { hashed, created } = JSON.parse(scanned.stdout);
    assert.deepEqual([hashed, created], [1, 0]);
    await servers.put('maps', 'second');
    await until('the second file', async () => (await resourcesOf(server, 'maps')) === 2);
    assert.equal((await servers.scanners()).get('maps'), server.running.pid);
  });
});

/** A program that serves where a folder is not mounted. It becomes the server, with its process id. */
const WITHOUT_MOUNT = `process.execve('/usr/bin/unshare', ['unshare', '--mount', 'sh', '-c', 'umount "$0" && exec "$@"',
  process.env.NOT_MOUNTED, process.execPath, process.env.PROGRAM, ...process.argv.slice(2)], process.env);`;

describe('Servers that are equal, with a disk', () => {
  let servers: EqualServers;

  beforeEach(async () => {
    servers = new EqualServers(await Workplace.make(SQLITE));
  });
  afterEach(() => servers.place.close());

  itOnSmallDisk('leave the folder to the one where it is mounted', 1, async ({ folder }) => {
    await writeFile(join(folder, 'first'), 'first');
    const added = await servers.place.run(['sets', 'add', 'maps', '--root', folder]);
    assert.equal(added.exitCode, 0, added.stderr);
    assert.equal((await servers.place.run(['scan', 'maps'])).exitCode, 0);
    await writeFile(join(folder, 'second'), 'second');
    const main = join(servers.place.folder, 'without-mount.js');
    await writeFile(main, WITHOUT_MOUNT);
    const without = await servers.start({ NOT_MOUNTED: folder, PROGRAM: MAIN }, { main });
    await without.running.says(/is empty, or all of it is left out/);
    const able = await servers.start();
    await without.running.says(/maps is left to other servers/);
    await until('the other one has read it', async () => (await resourcesOf(able, 'maps')) === 2);
    assert.equal((await servers.scanners()).get('maps'), able.running.pid);
    // The disk is in use until then.
    await killTidemarks();
  });
});

describe('Servers that are equal, with a bucket', () => {
  const s3 = useS3();
  const bucket = useBucket(s3);
  let servers: EqualServers;

  beforeEach(async () => {
    servers = new EqualServers(await Workplace.make(SQLITE));
    await bucket.put('maps/first');
    const added = await servers.place.run(['sets', 'add', 'maps', '--root', rootOf(s3, bucket.name, 'maps')], {
      env: environmentOf(s3),
    });
    assert.equal(added.exitCode, 0, added.stderr);
  });
  afterEach(() => servers.place.close());

  it('leave a root that one cannot read to another one', async () => {
    const wrong = { AWS_ACCESS_KEY_ID: s3.keys.accessKeyId, AWS_SECRET_ACCESS_KEY: 'wrongwrong' };
    const denied = await servers.start(wrong);
    await denied.running.says(/does not accept the credentials/);
    assert.equal(await scannedBy(denied), 1);
    const able = await servers.start(environmentOf(s3));
    await until('the other one has read it', async () => (await resourcesOf(able, 'maps')) === 1);
    const { text } = await ask(`${denied.url}/metrics`);
    assert.equal(sampleOf(parseExposition(text), 'tidemark_unscanned_sets', {}), 0);
    assert.equal((await servers.scanners()).get('maps'), able.running.pid);
  });

  it('pass on a notification to the one that scans', async () => {
    const env = { ...environmentOf(s3), TIDEMARK_JOB_LEASE: '1m' };
    const all = [await servers.start(env), await servers.start(env)];
    const [first] = all as [Server];
    await until('the first scan', async () => (await resourcesOf(first, 'maps')) === 1);
    const other = await until('the servers agree', async () => {
      const [one, two] = await Promise.all(all.map(scannedBy));
      return one! + two! === 1 && all[one!];
    });
    await bucket.put('maps/notified');
    const s3Object = { bucket: { name: bucket.name }, object: { key: 'maps/notified' } };
    const events = { Records: [{ eventName: 's3:ObjectCreated:Put', s3: s3Object }] };
    const answer = await askJson(`${other.url}/api/sets/maps/s3-events`, events);
    assert.equal(answer.status, 202);
    assert.match(answer.body.passedTo, /:\d+$/);
    await until('it was scanned', async () => (await resourcesOf(other, 'maps')) === 2);
  });
});
