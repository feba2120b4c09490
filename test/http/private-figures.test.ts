import assert from 'node:assert/strict';
import type { Scope } from '../../src/access/scope.ts';
import { Secret } from '../../src/config/secret.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';

const ADMINISTRATOR = { Authorization: 'Bearer open-sesame' };
const PATHS = ['/metrics', '/api/status', '/status', '/readyz', '/healthz', '/'];

describe('Figures of a server with a private organization', () => {
  let started: StartedApp;
  let runner: JobRunner | undefined;
  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
    await closeApps();
  });

  const get = (path: string, headers: Record<string, string> = {}) => ask(`${started.url}${path}`, { headers });

  async function bearing(...scopes: readonly Scope[]): Promise<Record<string, string>> {
    const { token } = await started.app.access.tokens.create({ name: 'a reader', scopes });
    return { Authorization: `Bearer ${token}` };
  }

  /** An organization that has uploaded, whose dump was made, and one of whose sets is being compared. */
  async function start(settings: Parameters<typeof startApp>[1] = {}): Promise<void> {
    started = await startApp(SQLITE, { token: new Secret('open-sesame'), ...settings });
    const { app, url } = started;
    await app.records.organizations.add('sealed', { contacts: [], private: true });
    await app.records.organizations.addStream('sealed', 'vault');
    runner = new JobRunner({
      definitions: JOB_DEFINITIONS,
      parts: app,
      worker: { name: 'tester', leaseMs: 30_000 },
      concurrency: 1,
    });
    runner.start();
    const uploads = `${url}/api/organizations/sealed/uploads`;
    const { status } = await postForm(uploads, [file('secret-name.mrc', marc('secret-id'))], ADMINISTRATOR);
    assert.equal(status, 201);
    await until('it is processed', async () => {
      return (
        JSON.parse((await get('/api/organizations/sealed/uploads/vault/1', ADMINISTRATOR)).text).status === 'processed'
      );
    });
    await app.records.streamDumps.build({ organization: 'sealed', stream: 'vault' }, 'full');
    for (const path of [
      '/api/organizations/sealed',
      '/organizations/sealed/',
      '/sets/sealed--vault/resourcelist.xml',
    ]) {
      await get(path);
      await get(path, ADMINISTRATOR);
    }
    const set = await app.sets.bySlug('sealed--vault.uploads');
    app.metrics.scans.around(set, {}).onProgress?.({ files: 1, hashed: 0, bytes: 0 });
  }

  async function requireNothing(headers: Record<string, string>): Promise<void> {
    for (const path of PATHS) {
      const { status, text } = await get(path, headers);
      assert.equal(status, 200, `${path}: ${text.slice(0, 300)}`);
      assert.doesNotMatch(text, /sealed|vault|secret-/, path);
    }
  }

  it('name nothing of it to a token that may read metrics', async () => {
    await start();
    await requireNothing(await bearing('metrics', 'read:papers', 'download:open', 'post:*'));
    for (const headers of [ADMINISTRATOR, await bearing('metrics', 'download:sealed')]) {
      const status = JSON.parse((await get('/api/status', headers)).text);
      assert.deepEqual(status.scanning, [{ set: 'sealed--vault.uploads', files: 1, hashed: 0, bytes: 0 }]);
      assert.match((await get('/status', headers)).text, /sealed--vault\.uploads/);
    }
  });

  it('name nothing of it when everybody may read metrics', async () => {
    await start({ publicMetrics: true });
    await requireNothing({});
  });
});
