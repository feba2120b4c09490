import assert from 'node:assert/strict';
import { ask, askJson, JSON_BODY, NDJSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

/** Names that every object has from its prototype, and the way to that prototype itself. */
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

const LOCATION = '{"value":"a","type":"rel_path"}';

/** Events as text: an object literal with `__proto__` would have no such key. */
const POLLUTING = NAMES.flatMap((name) => {
  const evil = `"${name}":{"polluted":true,"status":"applied","prototype":{"polluted":true}}`;
  return [
    `{${evil},"location":${LOCATION},"change":"created"}`,
    `{"location":{${evil},"value":"a","type":"rel_path"},"change":"created"}`,
    `{"location":${LOCATION},"change":"created","ln":[{${evil},"rel":"up","href":${LOCATION}}]}`,
    `{"location":{"value":"a","type":"${name}"},"change":"created"}`,
    `{"location":${LOCATION},"change":"${name}"}`,
    `{"location":${LOCATION},"change":"created","hash":"${name}:d41d8cd98f00b204e9800998ecf8427e"}`,
    `{"location":${LOCATION},"change":"created","mime":"${name}"}`,
  ];
});

describeOnEachStore('Names that objects inherit', (store, itOnce) => {
  let started: StartedApp;
  let changes: string;
  // No test minds what the others post.
  before(async () => {
    started = await startApp(store);
    await started.app.sets.add({ slug: 'constructor', urlPrefix: 'https://data.example.org/papers/' });
    changes = `${started.url}/api/sets/constructor/changes`;
  });
  after(closeApps);
  afterEach(() => {
    const polluted = Object.getOwnPropertyNames(Object.prototype).filter((name) => /polluted|status/.test(name));
    assert.deepEqual(polluted, []);
  });

  itOnce('are unknown fields and words of an event', async () => {
    const body = `{"changes":[${POLLUTING.join(',')}]}`;
    const { status, text } = await ask(changes, { method: 'POST', headers: JSON_BODY, body });
    assert.equal(status, 200, text);
    const { results, ...totals } = JSON.parse(text);
    assert.deepEqual(totals, { applied: 0, unchanged: 0, rejected: POLLUTING.length }, text);
    for (const { message } of results) assert.ok(message.length > 10);
  });

  itOnce('are unknown fields and words of a line', async () => {
    const { status, text } = await ask(changes, { method: 'POST', headers: NDJSON_BODY, body: POLLUTING.join('\n') });
    assert.equal(status, 200, text);
    const { applied, rejected } = JSON.parse(text);
    assert.deepEqual([applied, rejected], [0, POLLUTING.length]);
  });

  itOnce('are unknown fields of a body', async () => {
    for (const name of NAMES) {
      for (const body of [`{"${name}":{"changes":[]}}`, `{"${name}":{"polluted":true},"changes":[]}`]) {
        const { status, text } = await ask(changes, { method: 'POST', headers: JSON_BODY, body });
        assert.equal(status, 400, `${body} ${text}`);
      }
    }
  });

  itOnce('are unknown parameters of the API, and ignored by documents', async () => {
    for (const name of NAMES) {
      const { status, body } = await askJson(`${changes}?${name}=x&${name}[polluted]=y`);
      assert.deepEqual([status, body.error.code], [400, 'bad-query']);
      const document = await ask(`${started.url}/sets/constructor/changelist.xml?${name}=x&${name}[polluted]=y`);
      assert.equal(document.status, 200);
    }
  });

  it('are resources and sources like any other', async () => {
    const events = NAMES.map((value) => {
      return { location: { value, type: 'rel_path' }, change: 'created', source: value, position: 1 };
    });
    assert.equal((await askJson(changes, { changes: events })).body.applied, NAMES.length);
    assert.equal((await askJson(changes, { changes: events })).body.unchanged, NAMES.length);
    const { resources } = (await askJson(`${started.url}/api/sets/constructor/resources`)).body;
    assert.deepEqual(resources.map(({ key }: { key: string }) => key).sort(), NAMES.map((name) => `/${name}`).sort());
    for (const name of NAMES) {
      const { status } = await askJson(`${started.url}/api/sets/constructor/resource?key=/${name}`);
      assert.equal(status, 200, name);
    }
  });

  itOnce('are not sets, pages or routes', async () => {
    for (const name of NAMES) {
      const paths = [`/api/sets/${name}x`, `/sets/constructor/resourcelist-${name}.xml`, `/${name}`, `/api/${name}`];
      for (const path of paths) {
        const { status } = await ask(started.url + path);
        assert.ok([400, 404].includes(status), `${path} ${status}`);
      }
    }
  });
});
