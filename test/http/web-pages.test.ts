import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore, onElasticsearch, SQLITE } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { refuse } from '../support/elasticsearch-refusal.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { BROWSER, event, FAILING_PAGES, PAGES, pageAt, post, publishSets } from '../support/web-source.ts';

describeOnEachStore('Pages for people', (store, itOnce) => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(store);
  });
  afterEach(closeApps);

  const page = (path: string, headers?: Record<string, string>) => pageAt(started.url + path, headers);

  itOnce('have addresses with a slash, to which those without one lead', async () => {
    for (const [path, location] of [
      ['/sets/maps', './maps/'],
      ['/organizations', './organizations/'],
      ['/organizations/lane?before=2', './lane/?before=2'],
      ['/organizations/lane/streams/main/uploads/3', './3/'],
      ['/organizations/lane/streams/..%2Fmain', './..%2Fmain/'],
    ]) {
      const { status, headers } = await ask(started.url + path);
      assert.deepEqual([status, headers.location], [308, location], path);
    }
    assert.equal((await ask(`${started.url}//example.org`)).status, 404);
  });

  itOnce('go back through all changes of a set', async () => {
    await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    await post(
      started,
      'maps',
      Array.from({ length: 230 }, (_, at) => event(`sheet-${at}`)),
    );
    const seen: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const text = await page(`/sets/maps/changes${next}`);
      seen.push(...[...text.matchAll(/resource\?key=%2Fsheet-(\d+)"/g)].map(([, at]) => at!));
      next = /<a rel="next" href="([^"]+)"/.exec(text)?.[1];
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 230 }, (_, at) => String(229 - at)),
    );
  });

  it('find resources by a part of their name, and show them all without one', async () => {
    await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    await post(
      started,
      'maps',
      Array.from({ length: 130 }, (_, at) => event(`Rhein/Blatt ${1000 + at}.tif`)),
    );
    const found = async (query: string) => {
      const text = await page(`/sets/maps/find${query}`);
      return [[...text.matchAll(/resource\?key=/g)].length, /rel="next" href="([^"]+)"/.exec(text)?.[1]] as const;
    };
    const [first, next] = await found('');
    assert.deepEqual([first, (await found(next!.replaceAll('&amp;', '&')))[0]], [100, 30]);
    assert.deepEqual(await found('?q=blatt+100'), [10, undefined]);
    assert.deepEqual(await found('?q=%2FRhein%2FBlatt+112'), [10, undefined]);
    assert.match(await page('/sets/maps/find?q=none'), /No resource has “none” in its name\./);
    assert.match(await page('/sets/maps/find'), /130 resources</);
    const many = await page('/sets/maps/find?q=blatt');
    assert.match(many, /130 resources with “blatt”, 100 of them here</);
    assert.match(many, />Rhein\/<mark>Blatt<\/mark> 1000\.tif</);
    const between = await page('/sets/maps/find?q=rh*100*.tif');
    assert.match(between, />11 resources with “rh\*100\*\.tif”</);
    assert.match(between, /><mark>Rh<\/mark>ein\/Blatt <mark>100<\/mark>0<mark>\.tif<\/mark></);
    assert.match(
      await page('/sets/maps/find?q=%2Frhe*1000'),
      /No resource has/,
      'the beginning of a path has its case',
    );
    assert.match(await page('/sets/maps/find?q=%2FRhe*1000'), />1 resource with/);
    assert.match(await page('/sets/maps/changes?q=bl*12'), /<mark>Bl<\/mark>att 10<mark>12<\/mark>/);
  });

  itOnce('find resources by as many letters of any script as the field takes', async () => {
    await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    const name = '日本語の古い地図資料集成目録'.repeat(9).slice(0, 120);
    await post(started, 'maps', [event(`${name}1`), event(`${name.slice(0, 119)}2`)]);
    for (const path of ['find', 'changes']) {
      const text = await page(`/sets/maps/${path}?q=${encodeURIComponent(name)}`);
      assert.equal([...text.matchAll(/resource\?key=/g)].length, 1, path);
    }
    assert.match(await page(`/sets/maps/find?q=${encodeURIComponent(`/${name.slice(0, 119)}`)}`), />2 resources with/);
  });

  itOnce('show names with characters that change the direction of text as they are', async () => {
    await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    await post(started, 'maps', [event('map\u202egpj.exe'), event('خريطة 1.tif'), event('../\u2066x')]);
    const key = encodeURIComponent('/map%E2%80%AEgpj.exe');
    for (const path of ['', 'find', 'find?q=%25E2%2580%25AEgpj', 'changes', `resource?key=${key}`, 'postings']) {
      const text = await page(`/sets/maps/${path}`);
      assert.doesNotMatch(text, /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/, path);
      if (path !== 'postings') assert.match(text.replaceAll(/<\/?mark>/g, ''), />map%E2%80%AEgpj\.exe/, path);
    }
    await post(started, 'maps', [event('خرائط/مدينة/a.tif')]);
    const found = `/sets/maps/find?q=${encodeURIComponent('ئط/مد')}`;
    const inOrder = '<bdi dir="ltr">خرائط</bdi>/<bdi dir="ltr">مدينة</bdi>/<bdi dir="ltr">a.tif</bdi>';
    for (const path of [
      '/sets/maps/find',
      `/sets/maps/resource?key=${encodeURIComponent(encodeURI('/خرائط/مدينة/a.tif'))}`,
      found,
    ])
      assert.ok((await page(path)).replaceAll(/<\/?mark>/g, '').includes(inOrder), path);
    assert.match(await page(found), /خرا<mark>ئط<\/mark><\/bdi><mark>\/<\/mark><bdi dir="ltr"><mark>مد<\/mark>ينة/);
    assert.match(await page('/sets/maps/postings'), /<code>\.\.\/%E2%81%A6x<\/code>/);
  });

  it('list sets by name or by last change, with their state and the changes of 30 days', async () => {
    const { sets } = started.app;
    const titles = { a: 'Zebras 10', b: 'Zebras 9', c: 'Ants' };
    for (const [slug, title] of Object.entries(titles)) {
      await sets.add({ slug, title, urlPrefix: `https://data.example.org/${slug}/` });
    }
    await sets.add({ slug: 'files', origin: originOfRoot(started.folder) });
    await post(started, 'b', [event('x'), event('y')]);
    await post(started, 'a', [event('x')]);
    const listed = async (path: string) => {
      const text = await page(path);
      return [...text.matchAll(/href="\.\/sets\/([^"]+)\/"/g)].map(([, slug]) => slug).join(' ');
    };
    assert.equal(await listed('/'), 'c files b a');
    assert.equal(await listed('/?order=changed'), 'a b c files');
    assert.equal(await listed('/?order=changed&q=zebras'), 'a b');
    const text = await until('a page with all sparklines', async () => {
      const home = await page('/');
      return [...home.matchAll(/<svg class="sparkline"/g)].length === 4 && home;
    });
    assert.match(text, /aria-label="2 changes in the last 30 days"/);
    assert.deepEqual(
      [...text.matchAll(/<span class="state [^>]+>([^<]+)</g)].map(([, state]) => state),
      ['in sync', 'being read', 'in sync', 'in sync'],
    );
    await post(started, 'b', [event('z')]);
    await until('a sparkline with the new change', async () => (await page('/')).includes('"3 changes in the last 30'));
  });
});

describeOnEachStore('Pages for people, of a source that does not change', (store, itOnce) => {
  let started: StartedApp;
  before(async () => {
    started = await startApp(store);
    await publishSets(started);
  });
  after(closeApps);

  const page = (path: string) => pageAt(started.url + path);

  itOnce('escape all text of the source', async () => {
    for (const path of PAGES) {
      const text = await page(path);
      const script = text.indexOf('<script>');
      assert.equal(text.indexOf('<script', script + 1), -1, `${path} has a script that is not its own`);
      assert.doesNotMatch(text, /<b>|href="javascript:|href='/, path);
    }
    assert.ok((await page('/')).includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;'));
    assert.ok((await page('/sets/hostile/postings')).includes(`from &lt;script&gt;`));
  });

  itOnce('say what could not be shown, and why', async () => {
    for (const [path, expected] of FAILING_PAGES) {
      const { status, text, headers } = await ask(started.url + path, { headers: BROWSER });
      assert.deepEqual([status, headers['content-type']], [expected, 'text/html; charset=utf-8'], path);
      assert.equal(headers['cache-control'], 'private, no-cache');
      assert.match(text, /<h1>(?:Not found|Not yet)<\/h1>/, path);
    }
    const reading = await ask(`${started.url}/sets/scans/resourcelist.xml`, { headers: BROWSER });
    assert.match(reading.text, /is being read for the first time/);
    assert.equal(reading.headers['retry-after'], '2');
    for (const path of ['/nothing', '/api/sets/none']) {
      assert.match((await ask(started.url + path)).headers['content-type'] ?? '', /^application\/json/);
    }
    const api = await ask(`${started.url}/api/sets/none`, { headers: BROWSER });
    assert.match(api.headers['content-type'] ?? '', /^application\/json/);
  });

  itOnce('show the numbers of a set, and its changes of today by kind', async () => {
    const text = await page('/sets/maps/');
    assert.match(text, /<dt>resources<\/dt><dd>12<\/dd>/);
    assert.match(text, /<dt>changes recorded<\/dt><dd>15<\/dd>/);
    assert.match(
      text,
      /aria-label="Changes per day \(UTC\), the last 30 days: 13 created, 1 updated, 1 deleted in all/,
    );
    assert.match(
      text,
      /aria-label="Changes per hour \(UTC\), the last 48 hours: 13 created, 1 updated, 1 deleted in all/,
    );
    assert.equal([...text.matchAll(/<g class="column">/g)].length, 78);
    assert.match(await page('/sets/scans/'), /This set is being read for the first time\./);
  });

  itOnce('show a resource with its state and history, also one that was deleted', async () => {
    const path = '/sets/maps/resource?key=%2Fnorth%2Fsheet%25201.tiff';
    const text = await page(path);
    const { body } = await askJson(`${started.url}/api${path}`);
    assert.match((await ask(body.page)).text, /<loc>[^<]*\/north\/sheet%201\.tiff</);
    assert.match(text, new RegExp(`Listed in.*href="[^"]*${new URL(body.page).pathname.split('/').at(-1)}"`, 's'));
    assert.match(text, /<h1>north\/sheet 1\.tiff <\/h1>/);
    assert.match(text, /3\.00 MB <span class="quiet">\(3,000,000 bytes\)/);
    assert.match(text, /<dt>md5<\/dt><dd><code>d41d8cd98f00b204e9800998ecf8427e</);
    assert.match(text, /describedby:<\/span> <a href="https:\/\/example\.org\/about"/);
    assert.equal([...text.matchAll(/<span class="kind (?:created|updated)">/g)].length, 2);
    const uri = encodeURIComponent(`${started.url}/sets/maps/resources/north/sheet%202.tiff`);
    const deleted = await page(`/sets/maps/resource?uri=${uri}`);
    assert.match(deleted, /This resource was deleted:/);
    assert.equal([...deleted.matchAll(/<span class="kind (?:created|deleted)">/g)].length, 2);
    const { status, text: refused } = await ask(`${started.url}/sets/maps/resource?uri=x`, { headers: BROWSER });
    assert.equal(status, 400);
    assert.match(refused, /Uri is not an absolute URI, such as https:/);
  });

  itOnce('show who posted what, and what was rejected and why, to those who may see it', async () => {
    const text = await page('/sets/maps/postings');
    assert.match(text, /A client on the server’s machine/);
    assert.match(text, /1 event rejected/);
    assert.match(text, /<code>\.\.\/outside\.tiff<\/code>/);
    assert.match(text, /\(outside-root\)/);
    assert.match(await page('/sets/maps/'), /href="\.\/postings"/);
  });

  itOnce('render a page of the list anew, and lead back', async () => {
    const list = await page('/sets/maps/pages');
    assert.match(list, /has 4 pages of up to 4 resources each/);
    const [, action] = /<form method="post" action="\.([^"]+)"/.exec(list)!;
    const headers = { Origin: started.url, 'Content-Type': 'application/x-www-form-urlencoded' };
    const refreshed = await ask(`${started.url}/sets/maps${action}`, { method: 'POST', headers });
    assert.equal(refreshed.status, 303);
    const back = new URL(refreshed.headers.location!, `${started.url}/sets/maps${action}`);
    assert.match(await page(back.pathname + back.search), /The page 1-00000001 was rendered anew\./);
    assert.doesNotMatch(await page('/sets/maps/pages?refreshed=1-0000%3Cb%3E'), /was rendered anew/);
  });

  itOnce('refuse a form of another origin', async () => {
    for (const origin of ['https://evil.example.org', 'null']) {
      const asked = { method: 'POST', headers: { Origin: origin } };
      const { status } = await ask(`${started.url}/sets/maps/pages/1-00000001/refresh`, asked);
      assert.equal(status, 403);
    }
  });

  itOnce('offer for a new set only what a server without roots over HTTP takes', async () => {
    const form = await page('/add-set');
    for (const name of ['records', 'urlPrefix', 'title', 'pageSize']) assert.match(form, new RegExp(`name="${name}"`));
    for (const name of ['root', 'from', 'fromSet', 'fromInterval', 'exclude'])
      assert.doesNotMatch(form, new RegExp(`name="${name}"`));
  });

  itOnce('show the status of the source', async () => {
    // A store that takes longer than some seconds counts as one that does not answer.
    const text = await until('a page that the store answers', async () => {
      const status = await page('/status');
      return !status.includes('does not answer') && status;
    });
    assert.match(text, /1 set is being read for the first time\./);
    assert.match(text, /<dt>Store<\/dt><dd>answered within [\d.]+ m?s/);
    assert.match(text, /<dt>Events<\/dt><dd>18 applied, 0 unchanged, 4 rejected/);
    assert.match(text, /<a href="\.\/sets\/scans\/">scans<\/a>/);
  });
});

describeOnEachStore('Pages for people, where there are tokens', (store, itOnce) => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(store, { token: new Secret('the-administrator') });
    const { sets } = started.app;
    await sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    await sets.add({ slug: 'letters', urlPrefix: 'https://data.example.org/letters/', private: true });
    const headers = { Authorization: 'Bearer the-administrator' };
    const changes = [event('a'), event('b'), event('../c')];
    for (const slug of ['maps', 'letters'])
      await askJson(`${started.url}/api/sets/${slug}/changes`, { changes }, headers);
  });
  afterEach(closeApps);

  const basic = (token: string) => ({ Authorization: `Basic ${Buffer.from(`me:${token}`).toString('base64')}` });
  const ADMINISTRATOR = basic('the-administrator');
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await ask(started.url + path, { headers: { ...BROWSER, ...headers } })).status;

  itOnce('show private sets and their figures to those alone who may read them', async () => {
    const { token } = await started.app.access.tokens.create({ name: 'Reading room', scopes: ['read:letters'] });
    const public_ = await pageAt(`${started.url}/`);
    assert.doesNotMatch(public_, /letters/);
    assert.match(public_, /<dt>resources<\/dt><dd>2<\/dd>/);
    for (const headers of [basic(token), ADMINISTRATOR]) {
      const text = await pageAt(`${started.url}/`, headers);
      assert.match(text, /href="\.\/sets\/letters\/"/);
      assert.match(text, /<dt>resources<\/dt><dd>4<\/dd>/);
    }
    assert.doesNotMatch(await pageAt(`${started.url}/.well-known/resourcesync`), /letters/);
    for (const path of ['', 'changes', 'find', 'resource?key=%2Fa', 'pages', 'resourcelist.xml']) {
      assert.equal(await status(`/sets/letters/${path}`), 404, path);
      assert.equal(await status(`/sets/letters/${path}`, basic(token)), 200, path);
    }
  });

  itOnce('say who is signed in, and how to sign in', async () => {
    const { token } = await started.app.access.tokens.create({ name: 'Reading room', scopes: ['read:*'] });
    const maps = await pageAt(`${started.url}/sets/maps/changes?before=7`);
    assert.match(maps, /href="\.\.\/\.\.\/sign-in\?to=sets%2Fmaps%2Fchanges%3Fbefore%3D7">Sign in</);
    assert.match(await pageAt(started.url), /href="\.\/sign-in">Sign in</);
    const asked = await ask(`${started.url}/sign-in`, { headers: BROWSER });
    assert.equal(asked.status, 200);
    assert.match(asked.text, /<h1>Sign in<\/h1>/);
    const signedIn = await ask(`${started.url}/sign-in`, { headers: { ...BROWSER, ...basic(token) } });
    assert.deepEqual([signedIn.status, signedIn.headers.location], [303, './']);
    for (const to of [
      'sets/maps/changes?before=7',
      '/evil.example.org',
      '//evil.example.org/',
      '\\\\evil.example.org',
      'http://evil',
    ]) {
      const url = `${started.url}/sign-in?${new URLSearchParams({ to })}`;
      const { headers } = await ask(url, { headers: { ...BROWSER, ...basic(token) } });
      assert.equal(new URL(headers.location!, url).origin, started.url, to);
    }
    assert.match(await pageAt(`${started.url}/`, basic(token)), /Signed in as Reading room/);
    assert.match(await pageAt(`${started.url}/`, ADMINISTRATOR), /Signed in as administrator/);
    assert.equal(await status('/', basic('wrong')), 401);
  });

  itOnce('show postings and buttons to those alone who may see and use them', async () => {
    assert.equal(await status('/sets/maps/postings'), 303);
    assert.doesNotMatch(await pageAt(`${started.url}/sets/maps/`), /postings/);
    assert.doesNotMatch(await pageAt(`${started.url}/sets/maps/pages`), /<form method="post"/);
    assert.match(await pageAt(`${started.url}/sets/maps/pages`, ADMINISTRATOR), /<form method="post"/);
    const text = await pageAt(`${started.url}/sets/maps/postings`, ADMINISTRATOR);
    assert.match(text, /Administrator/);
    const refused = await ask(`${started.url}/sets/maps/pages/1-00000001/refresh`, { method: 'POST' });
    assert.equal(refused.status, 401);
    assert.doesNotMatch(await pageAt(`${started.url}/status`), /Since the server was started/);
    assert.match(await pageAt(`${started.url}/status`, ADMINISTRATOR), /Since the server was started/);
  });

  itOnce('lead to no page of a set that a token may not open', async () => {
    const { token } = await started.app.access.tokens.create({ name: 'Poster', scopes: ['post:letters'] });
    const text = await pageAt(`${started.url}/sets/letters/postings`, basic(token));
    const [, tabs] = /<nav class="tabs"[^>]*>(.*?)<\/nav>/s.exec(text)!;
    assert.deepEqual(
      [...tabs!.matchAll(/href="([^"]+)"/g)].map(([, href]) => href),
      ['./postings'],
    );
  });

  itOnce('are kept by no cache between', async () => {
    for (const headers of [{}, ADMINISTRATOR]) {
      const { headers: answered } = await ask(`${started.url}/sets/maps/`, { headers });
      assert.equal(answered['cache-control'], 'private, no-cache');
      assert.equal(answered.vary, 'Authorization, Cookie');
      assert.equal(answered['referrer-policy'], 'same-origin');
    }
  });
});

describe('The page of many sets', () => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(SQLITE);
  });
  afterEach(closeApps);

  it('show 50 sets at a time, what they hold together, and those that are searched', async () => {
    for (let at = 100; at < 205; at++) {
      const title = at % 2 === 0 ? `Papers of ${at}` : undefined;
      await started.app.sets.add({ slug: `set-${at}`, title, urlPrefix: `https://data.example.org/${at}/` });
    }
    await post(started, 'set-100', [event('a'), event('b')]);
    await post(started, 'set-204', [event('a'), event('a', { change: 'deleted' })]);
    const rows = async (query: string) =>
      [...(await pageAt(`${started.url}/${query}`)).matchAll(/<th scope="row"/g)].length;
    assert.deepEqual([await rows(''), await rows('?page=2'), await rows('?page=3')], [50, 50, 5]);
    assert.deepEqual([await rows('?page=99'), await rows('?page=x'), await rows('?page=-1')], [5, 50, 50]);
    assert.deepEqual([await rows('?q=PAPERS+of'), await rows('?q=set-10'), await rows('?q=none')], [50, 10, 0]);
    const home = await pageAt(started.url);
    assert.match(home, /<dt>sets<\/dt><dd>105<\/dd>/);
    assert.match(home, /<dt>resources<\/dt><dd>2<\/dd>/);
    assert.match(home, /<dt>changes recorded<\/dt><dd>4<\/dd>/);
    assert.match(home, /href="\?page=2">Next/);
    assert.match(await pageAt(`${started.url}/?q=papers`), /href="\?q=papers&amp;page=2">Next/);
  });
});

describe('The status, as a page', () => {
  const elasticsearch = useElasticsearch();
  let proxy: FaultProxy | undefined;
  let outage: ReturnType<FaultProxy['on']> | undefined;
  afterEach(async () => {
    outage?.remove();
    await closeApps();
    await proxy?.close();
  });

  it('shows soon that the store does not answer, and that it does again', async () => {
    proxy = await FaultProxy.start(elasticsearch.url);
    const started = await startApp(onElasticsearch(proxy));
    await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    outage = proxy.on(() => true, refuse(503));
    // It waits two seconds; the limit is far above, for a busy machine.
    const began = performance.now();
    const text = await pageAt(`${started.url}/status`);
    assert.match(text, /The store does not answer\./);
    assert.ok(performance.now() - began < 20_000);
    // What was read of tokens before counts for a second.
    do await pageAt(`${started.url}/status`);
    while (performance.now() - began < 1_500);
    outage.remove();
    await until('all is well', async () => (await pageAt(`${started.url}/status`)).includes('All is well.'));
  });
});
