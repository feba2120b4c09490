import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ask } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { VersionedSet } from '../support/versioned-set.ts';
import { BROWSER } from '../support/web-source.ts';

describeOnEachStore('Kept versions', (store, itOnce) => {
  let started: StartedApp;
  /** A set of its own for each test. */
  let maps: VersionedSet;
  let home: string;
  let tests = 0;
  before(async () => {
    started = await startApp(store);
  });
  after(closeApps);
  beforeEach(() => {
    maps = new VersionedSet(started, `maps${++tests}`);
    ({ home } = maps);
  });

  /** The addresses of the versions that a TimeMap lists, with their times. */
  async function timeMap(key = 'a%20b.txt') {
    const { status, text, headers } = await ask(`${home}/timemap/${key}`);
    if (status !== 200) return { status, versions: [] };
    assert.equal(headers['content-type'], 'application/link-format');
    const links = text.trim().split(',\n');
    assert.equal(links[0], `<${home}/resources/${key}>; rel="original"`);
    assert.equal(links[1], `<${home}/timegate/${key}>; rel="timegate"`);
    const versions = [...text.matchAll(/^<([^>]*)>; rel="((?:first )?(?:last )?memento)"; datetime="([^"]*)"/gm)];
    return { status, versions: versions.map(([, uri = '', rel = '', datetime = '']) => ({ uri, rel, datetime })) };
  }

  async function bytesAt(acceptDatetime?: string, key = 'a%20b.txt'): Promise<string> {
    const headers = acceptDatetime === undefined ? {} : { 'Accept-Datetime': acceptDatetime };
    const answer = await ask(`${home}/timegate/${key}`, { headers });
    assert.equal(answer.status, 302, answer.text);
    assert.match(String(answer.headers.vary), /accept-datetime/i);
    assert.match(String(answer.headers.link), /rel="original", .*rel="timemap"/);
    return (await ask(answer.headers.location!)).text;
  }

  itOnce('are linked from the page of their resource', async () => {
    await maps.add();
    for (const content of ['first', 'second']) await maps.put('a b.txt', content);
    await maps.remove('a b.txt');
    const { text } = await ask(`${home}/resource?key=%2Fa%2520b.txt`, { headers: BROWSER });
    const links = [...text.matchAll(/<a href="([^"]+)">as it was<\/a>/g)].map(([, href]) => href!);
    const contents = await Promise.all(links.map(async (href) => (await ask(new URL(href, `${home}/`).href)).text));
    assert.deepEqual(contents, ['second', 'first']);
  });

  it('each have an address, of bytes that never change', async () => {
    await maps.add();
    for (const content of ['first', 'second']) await maps.put('a b.txt', content);
    await rm(join(maps.folder, 'a b.txt'));
    await maps.put('other', 'other');
    const { versions } = await timeMap();
    assert.deepEqual(
      versions.map(({ rel }) => rel),
      ['first memento', 'last memento'],
    );
    for (const [at, content] of ['first', 'second'].entries()) {
      const { uri, datetime } = versions[at]!;
      const { status, text, headers } = await ask(uri);
      assert.deepEqual([status, text], [200, content]);
      assert.equal(headers['memento-datetime'], datetime);
      assert.equal(headers['content-type'], 'text/plain');
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      const key = 'a%20b.txt';
      assert.equal(
        headers.link,
        `<${home}/resources/${key}>; rel="original", <${home}/timegate/${key}>; rel="timegate", <${home}/timemap/${key}>; rel="timemap"; type="application/link-format"`,
      );
      assert.equal((await ask(uri, { headers: { Range: 'bytes=1-2' } })).text, content.slice(1, 3));
      assert.equal((await ask(uri, { headers: { 'If-None-Match': headers.etag! } })).status, 304);
      assert.equal((await ask(uri, { method: 'HEAD' })).headers['content-length'], String(content.length));
    }
    const deleted = await ask(`${home}/resources/a%20b.txt`);
    assert.equal(deleted.status, 404);
    assert.equal(
      deleted.headers.link,
      `<${home}/timegate/a%20b.txt>; rel="timegate", <${home}/timemap/a%20b.txt>; rel="timemap"; type="application/link-format"`,
    );
    assert.equal((await ask(`${home}/resources/none`)).headers.link, undefined);
    assert.equal((await ask(versions[0]!.uri.replace(/\d\dZ/, '99Z'))).status, 404);
    assert.equal((await ask(`${home}/versions/yesterday/a%20b.txt`)).status, 404);
  });

  itOnce('are found by their time', async () => {
    await maps.add();
    await maps.put('a b.txt', 'first');
    // Clients ask for whole seconds.
    await wait(2_100);
    await maps.put('a b.txt', 'second');
    const { versions } = await timeMap();
    const [first, second] = versions.map(({ datetime }) => datetime);
    assert.equal(await bytesAt(), 'second');
    assert.equal(await bytesAt(second), 'second');
    assert.equal(await bytesAt(first), 'first');
    assert.equal(await bytesAt('Thu, 31 May 2007 20:35:00 GMT'), 'first');
    assert.equal(await bytesAt('Thu, 31 May 2107 20:35:00 GMT'), 'second');
    for (const bad of ['2007-05-31', 'yesterday', 'Thu, 31 Feb 2007 20:35:00 GMT']) {
      const { status } = await ask(`${home}/timegate/a%20b.txt`, { headers: { 'Accept-Datetime': bad } });
      assert.equal(status, 400, bad);
    }
    assert.equal((await ask(`${home}/timegate/none`)).status, 404);
    assert.equal((await timeMap('none')).status, 404);
  });

  itOnce('are listed up to a time by a TimeMap that names itself', async () => {
    await maps.add();
    for (const content of ['first', 'second']) await maps.put('a', content);
    const [first] = (await timeMap('a')).versions;
    const uri = `${home}/timemap/a?until=${first!.uri.split('/').at(-2)}`;
    const { text } = await ask(uri);
    assert.ok(text.includes(`<${uri}>; rel="self"`), text);
    assert.deepEqual(
      [...text.matchAll(/<([^>]*)>; rel="[^"]*memento"/g)].map(([, found]) => found),
      [first!.uri],
    );
  });

  itOnce('are listed as JSON when a client prefers that', async () => {
    await maps.add();
    for (const content of ['first', 'second']) await maps.put('a b.txt', content);
    const links = await timeMap();
    const uri = `${home}/timemap/a%20b.txt`;
    for (const accept of ['application/json', 'application/json, application/link-format;q=0.5']) {
      const { status, headers, text } = await ask(uri, { headers: { Accept: accept } });
      assert.deepEqual([status, headers['content-type']], [200, 'application/json']);
      assert.match(String(headers.vary), /\baccept\b/i);
      const list = links.versions.map(({ uri, datetime }) => {
        return { datetime: new Date(datetime).toISOString().replace('.000', ''), uri };
      });
      assert.deepEqual(JSON.parse(text), {
        original_uri: `${home}/resources/a%20b.txt`,
        timegate_uri: `${home}/timegate/a%20b.txt`,
        timemap_uri: { link_format: uri, json_format: uri },
        mementos: { first: list[0], last: list[1], list },
      });
    }
    for (const accept of ['*/*', 'text/html', 'application/link-format, application/json', 'application/*']) {
      const { headers } = await ask(uri, { headers: { Accept: accept } });
      assert.equal(headers['content-type'], 'application/link-format', accept);
      assert.match(String(headers.vary), /\baccept\b/i);
    }
  });

  itOnce('are named by the resource and by the entries of lists', async () => {
    await maps.add();
    await maps.put('a', 'first');
    const { headers } = await ask(`${home}/resources/a`);
    assert.match(
      String(headers.link),
      /rel="resourcesync", <[^>]*\/timegate\/a>; rel="timegate", <[^>]*\/timemap\/a>; rel="timemap"/,
    );
    const { versions } = await timeMap('a');
    const datetime = /versions\/([^/]*)\//.exec(versions[0]!.uri)![1];
    const links = `<rs:ln rel="memento" href="${versions[0]!.uri}" modified="${datetime}"/><rs:ln rel="timegate" href="${home}/timegate/a"/><rs:ln rel="timemap" href="${home}/timemap/a" type="application/link-format"/>`;
    for (const list of ['resourcelist', 'changelist']) {
      const { text } = await ask(`${home}/${list}.xml`);
      assert.ok(text.includes(links), text);
    }
    // Made of the older version of the page.
    await maps.put('a', 'second');
    const { text } = await ask(`${home}/resourcelist.xml`);
    assert.ok(text.includes((await timeMap('a')).versions[1]!.uri), text);
  });

  itOnce('are published from the first full scan on when they are switched on later', async () => {
    await maps.add({ keepVersions: false });
    await maps.put('a', 'first');
    assert.equal((await timeMap('a')).status, 404);
    assert.doesNotMatch((await ask(`${home}/resourcelist.xml`)).text, /timegate/);
    const { text } = await ask(`${home}/timemap/a`);
    assert.match(text, /"\\"maps\d\\" publishes no versions"/, 'without advice for operators');
    await started.app.sets.change(maps.slug, { keepVersions: true });
    assert.equal((await timeMap('a')).status, 404);
    await maps.scan();
    assert.equal((await ask((await timeMap('a')).versions[0]!.uri)).text, 'first');
    assert.match((await ask(`${home}/resourcelist.xml`)).text, /rel="timegate"/);
    assert.doesNotMatch((await ask(`${home}/changelist.xml`)).text, /rel="timegate"/);
    await maps.put('a', 'second');
    assert.match((await ask(`${home}/changelist.xml`)).text, /rel="memento"/);
    await started.app.sets.change(maps.slug, { keepVersions: false });
    assert.equal((await timeMap('a')).status, 404);
    assert.doesNotMatch((await ask(`${home}/resourcelist.xml`)).text, /timegate/);
  });

  itOnce('of records are those that their artifacts have', async () => {
    const { app } = started;
    const texts: string[] = [];
    await app.sets.add({
      slug: maps.slug,
      origin: { kind: 'artifact', provider: 'cdl', activity: 'harvest' },
      keepVersions: true,
    });
    for (const version of [1, 2]) {
      await putArtifact(app.artifacts, [record('r1', `<r>${version}</r>`)], { start: `2026-01-0${version}T00:00:00Z` });
      await maps.scan();
    }
    const { headers } = await ask(`${home}/resourcelist.xml`);
    assert.ok(headers);
    const { text } = await ask(`${home}/changelist.xml`);
    for (const [, uri] of text.matchAll(/rel="memento" href="([^"]*)"/g)) texts.push((await ask(uri!)).text);
    assert.equal(texts.length, 2);
    assert.notEqual(texts[0], texts[1]);
  });
});
