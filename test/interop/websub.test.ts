import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { itNeeding } from '../support/it-needing.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const SCRIPT = join(import.meta.dirname, 'flask_websub_subscriber.py');
const FOLDER = process.env.FLASK_WEBSUB_BIN ?? join(import.meta.dirname, '../../.services/flask-websub/bin');
const PYTHON = join(FOLDER, 'python3');
const missing = existsSync(PYTHON)
  ? undefined
  : 'needs Flask-WebSub, in FLASK_WEBSUB_BIN or .services/flask-websub/bin: pip install Flask-WebSub==0.4.1';

interface Line {
  readonly event: string;
  readonly topic_url?: string;
  readonly hub_url?: string;
  readonly body?: string;
}

describeOnEachStore('A subscriber that others wrote (Flask-WebSub)', (store) => {
  let child: ChildProcess | undefined;
  let started: StartedApp;
  afterEach(async () => {
    if (child !== undefined && child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await closeApps();
  });

  itNeeding(
    { name: 'flask-websub', missing },
    'discovers the hub, subscribes, takes signed changes, and unsubscribes',
    async () => {
      started = await startApp(store, { hub: { kind: 'inside' }, subscriberNetworks: ['127.0.0.1'] });
      const { app, url } = started;
      await app.sets.add({ slug: 'papers', urlPrefix: 'https://data.example.org/papers/' });
      app.notifications.deliverer.start();
      const topic = `${url}/sets/papers/notifications.xml`;
      child = spawn(PYTHON, [SCRIPT, topic, started.folder], { stdio: ['pipe', 'pipe', 'inherit'] });
      const lines: Line[] = [];
      createInterface(child.stdout!).on('line', (line) => lines.push(JSON.parse(line)));
      const line = (event: string) => until(event, async () => lines.find((one) => one.event === event));

      const { topic_url, hub_url } = await line('discovered');
      assert.deepEqual([topic_url, hub_url], [topic, `${url}/hub`]);
      await line('subscribe');
      const changes = ['a', 'b'].map((value) => ({ location: { value, type: 'rel_path' }, change: 'created' }));
      await askJson(`${url}/api/sets/papers/changes`, { changes });
      const { body } = await line('content');
      assert.match(body!, /papers\/a<\/loc>.*change="created".*\n.*papers\/b<\/loc>/);
      child.stdin!.write('\n');
      await line('unsubscribe');
      await until('no subscription', async () => (await app.notifications.subscriptions.list()).length === 0);
    },
  );
});
