import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { verifyArtifacts } from '../../src/jobs/kinds/verify-artifacts.ts';
import { allKindsOfItems, harvest } from '../support/activity-run.ts';
import { type Answer, ask } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { describeOnEachStore, SQLITE, type StoreKind } from '../support/each-store.ts';
import { parseExposition } from '../support/exposition.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { ProcessedStream } from '../support/upload-processing.ts';
import { VersionedSet } from '../support/versioned-set.ts';

/** Bytes of files that are compared while they are served, and of files that are streamed. */
const SMALL = 1_000;
const LARGE = 300_000;

/** Artifacts of every kind that has a digest; with the addresses at which some are served. */
class StoredSource {
  readonly started: StartedApp;
  readonly #environment: Readonly<Record<string, string>>;
  /** Addresses by a part of the key. */
  readonly small: { readonly uri: string; readonly key: RegExp }[] = [];
  readonly large: { readonly uri: string; readonly key: RegExp }[] = [];

  private constructor(started: StartedApp, environment: Readonly<Record<string, string>>) {
    this.started = started;
    this.#environment = environment;
  }

  static async make(
    store: StoreKind,
    settings: Partial<Configuration> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<StoredSource> {
    const started = await startApp(store, {
      publicMetrics: true,
      verifyArtifactsDays: 1,
      ...settings,
    });
    const source = new StoredSource(started, environment);
    await source.#fill();
    return source;
  }

  async #fill(): Promise<void> {
    const { app, url } = this.started;
    const maps = new VersionedSet(this.started);
    await maps.add();
    const names = [
      ['small', SMALL],
      ['large', LARGE],
    ] as const;
    for (const [name, size] of names) await writeFile(join(maps.folder, name), randomBytes(size));
    await maps.scan();
    const dump = await app.publishing.dumps.build('maps', {});
    await app.publishing.listArchives.keep('maps');
    const stream = await ProcessedStream.make(app);
    const deletions = 'one\ntwo\n';
    await stream.process(await stream.upload({ small: randomBytes(SMALL), large: randomBytes(LARGE), deletions }));
    const artifacts = this.artifacts();
    await harvest(
      { store: artifacts, folder: join(this.started.folder, 'spool'), provider: 'cdl' },
      allKindsOfItems(10),
    );
    await artifacts.close();
    await app.backup.archive(new AbortController().signal);

    const versionOf = async (name: string) =>
      /<([^>]*)>; rel="first last memento"/.exec((await ask(`${maps.home}/timemap/${name}`)).text)![1]!;
    const uploaded = `${url}/api/organizations/lane/uploads/main/1/files`;
    this.small.push({ uri: await versionOf('small'), key: /^_versions\/.*\.zip$/ });
    this.large.push({ uri: await versionOf('large'), key: /^_versions\/.*[0-9a-f]{64}$/ });
    this.large.push({ uri: `${maps.home}/dumps/${dump.packages[0]!.name}.zip`, key: /^_dumps\// });
    for (const [at, { artifact }] of (await app.records.uploads.get('lane', 'main', 1)).files.entries()) {
      const served = { uri: `${uploaded}/${at + 1}`, key: new RegExp(`^${artifact}$`) };
      (at === 1 ? this.large : this.small).push(served);
    }
  }

  artifacts() {
    return openArtifacts(this.started.app.configuration.artifacts);
  }

  /** Flips a bit of each matching object, in its middle, behind the back of the program. */
  async flip(isFlipped: (key: string) => boolean): Promise<readonly string[]> {
    const artifacts = this.artifacts();
    const objects = await collect(artifacts.list(''));
    const flipped: string[] = [];
    for (const { key } of objects) {
      if (!isFlipped(key)) continue;
      const bytes = await buffer((await artifacts.get(key)).body);
      bytes[Math.floor(bytes.length / 3)]! ^= 1;
      await artifacts.delete(key);
      await artifacts.put(key, [bytes]);
      flipped.push(key);
    }
    await artifacts.close();
    return flipped;
  }

  /** The command, and what it printed. */
  async command(): Promise<{ exitCode: number | null; stdout: string; json: Printed }> {
    const { folder, app } = this.started;
    const { store } = app.configuration;
    const env = {
      ...this.#environment,
      TIDEMARK_DATA: folder,
      ...(store.kind === 'elasticsearch' && {
        TIDEMARK_STORE: process.env.ELASTICSEARCH_URL ?? store.nodes.join(','),
        TIDEMARK_INDEX_PREFIX: store.prefix,
      }),
    };
    const { exitCode, stdout, stderr } = await runTidemark(['artifacts', 'verify', '--json'], { cwd: folder, env });
    assert.equal(stderr, '');
    return { exitCode, stdout, json: JSON.parse(stdout) };
  }

  /** The job of a night. Returns its log. */
  async night(): Promise<readonly string[]> {
    const lines: string[] = [];
    const { signal } = new AbortController();
    const run = { name: '', isLast: true, wait: undefined, signal, report() {}, confirm: async () => {} };
    await verifyArtifacts.run({}, this.started.app, { ...run, log: (line) => lines.push(line) });
    return lines;
  }

  async metric(name: string): Promise<number | undefined> {
    const { samples } = parseExposition((await ask(`${this.started.url}/metrics`)).text);
    return samples.find((sample) => sample.name === name)?.value;
  }
}

interface Printed {
  readonly whole: boolean;
  readonly artifacts: number;
  readonly withoutDigest: number;
  readonly damaged: {
    readonly total: number;
    readonly first: readonly { readonly key: string; readonly of: string; readonly remedy: string }[];
  };
}

function assertRefused({ status, headers, text }: Answer, uri: string): void {
  assert.equal(status, 503, uri);
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(text, /the stored bytes of \S+ are damaged: .*tidemark artifacts verify/);
}

function describeDamage(make: () => Promise<StoredSource>): void {
  let source: StoredSource;
  beforeEach(async () => {
    source = await make();
  });
  afterEach(closeApps);

  it('are named, counted, and not served until they are whole again', async () => {
    const neverCompared = await source.metric('tidemark_artifacts_oldest_check_seconds');
    assert.equal(neverCompared, undefined);
    assert.deepEqual((await source.command()).json.damaged, { total: 0, first: [] });
    const { small, large } = source;
    for (const { uri } of [...small, ...large]) assert.equal((await ask(uri)).status, 200, uri);

    // Provenances and the like have no digest, and a mark of a segment is JSON.
    const hasDigest = (key: string) => !/\.json$|-errata|DeletedRecord/.test(key);
    const flipped = await source.flip(hasDigest);
    for (const { key } of [...small, ...large])
      assert.ok(
        flipped.some((one) => key.test(one)),
        String(key),
      );
    for (const { uri } of small) assertRefused(await ask(uri), uri);

    const { exitCode, json } = await source.command();
    assert.deepEqual(json.damaged.first.map(({ key }) => key).toSorted(), flipped.toSorted());
    assert.deepEqual([exitCode, json.whole, json.damaged.total], [1, false, flipped.length]);
    for (const { remedy } of json.damaged.first) assert.match(remedy, /restore it from a backup/);
    await source.night();
    for (const { uri } of [...small, ...large]) {
      assertRefused(await ask(uri), uri);
      assertRefused(await ask(uri, { headers: { Range: 'bytes=0-9' } }), uri);
    }
    assert.equal(await source.metric('tidemark_artifacts_damaged'), flipped.length);
    assert.equal(await source.metric('tidemark_artifacts_checked'), json.artifacts);

    await source.flip(hasDigest);
    assert.deepEqual(await source.night(), []);
    for (const { uri } of [...small, ...large]) assert.equal((await ask(uri)).status, 200, uri);
    assert.equal(await source.metric('tidemark_artifacts_damaged'), 0);
  });
}

describeOnEachStore('Damaged artifacts', (store) => {
  describeDamage(() => StoredSource.make(store));
});

describeOnEachArtifactStore('Damaged artifacts', (place, itOnce) => {
  // On SQLite with a folder they are tested above.
  if (itOnce !== it)
    describeDamage(() =>
      StoredSource.make(
        SQLITE,
        { artifacts: place.location },
        {
          ...place.environment,
          TIDEMARK_ARTIFACTS: place.text,
        },
      ),
    );
});

describe('A comparison of artifacts', () => {
  let started: StartedApp;
  let maps: VersionedSet;
  /** The file of a package, its bytes, and the address at which it is served. */
  let file: string;
  let whole: Buffer;
  let served: string;
  beforeEach(async () => {
    started = await startApp(SQLITE, { verifyArtifactsDays: 1 });
    maps = new VersionedSet(started);
    await maps.add();
    await writeFile(join(maps.folder, 'large'), randomBytes(LARGE));
    await maps.scan();
    const { name } = (await started.app.publishing.dumps.build('maps', {})).packages[0]!;
    const { id } = await started.app.sets.bySlug('maps');
    file = join(started.folder, 'artifacts', formatKey({ kind: 'package', set: id, name }));
    served = `${maps.home}/dumps/${name}.zip`;
    whole = await readFile(file);
    const damaged = Buffer.from(whole);
    damaged[LARGE / 2]! ^= 1;
    await writeFile(file, damaged);
  });
  afterEach(closeApps);

  const status = async () => (await ask(served)).status;

  it('records nothing while the folder is empty, as one that is not mounted', async () => {
    assert.equal((await started.app.backup.verifyArtifacts({})).totalDamaged, 1);
    const folder = join(started.folder, 'artifacts');
    await rename(folder, `${folder}-away`);
    await mkdir(folder);
    await assert.rejects(started.app.backup.verifyArtifacts({}), { code: 'unavailable', message: /is it mounted\?/ });
    await rmdir(folder);
    await rename(`${folder}-away`, folder);
    assert.equal(await status(), 503);
  });

  it('does not refuse what was restored before its end', async () => {
    const report = await started.app.backup.verifyArtifacts({
      onProgress: (done, total) => done === total && writeFileSync(file, whole),
    });
    assert.equal(report.totalDamaged, 0);
    assert.equal(await status(), 200);
  });

  it('refuses a damaged package also after it was replaced, while it can be fetched', async () => {
    assert.equal((await started.app.backup.verifyArtifacts({})).totalDamaged, 1);
    await maps.put('large', 'another');
    await started.app.publishing.dumps.build('maps', {});
    assert.equal((await started.app.backup.verifyArtifacts({})).totalDamaged, 1);
    assert.equal(await status(), 503);
  });
});
