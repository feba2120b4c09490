import assert from 'node:assert/strict';
import { link, mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { postedEventSchema } from '../../src/ingest/posted-schema.ts';
import { catalogId } from '../../src/stores/document-of-set.ts';
import { ask, askJson, JSON_BODY, NDJSON_BODY } from '../support/ask.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { parseDocument } from '../support/parse-document.ts';
import { headOf, sendRaw, statusOf } from '../support/raw-http.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { itWithXmllint, schemaErrors } from '../support/xsd.ts';

const SECRET = 'what no client may read';

describe('Attacks over HTTP', () => {
  let started: StartedApp;
  let url: string;
  let root: string;
  afterEach(closeApps);

  async function start(settings: Parameters<typeof startApp>[1] = {}): Promise<void> {
    started = await startApp(SQLITE, settings);
    url = started.url;
    root = await makeFolder(started, 'root');
    await started.app.sets.add({ slug: 'files', origin: originOfRoot(root) });
    await started.app.sets.markReady('files');
    await started.app.sets.add({ slug: 'papers', urlPrefix: 'https://data.example.org/papers/' });
  }

  const post = (changes: readonly unknown[], set = 'files', headers: Record<string, string> = {}) =>
    askJson(`${url}/api/sets/${set}/changes`, { changes }, headers);
  const event = (value: string, fields: object = {}) => ({
    location: { value, type: 'rel_path' },
    change: 'created',
    ...fields,
  });

  /** Adds a set with a title that is refused today: an older version may have stored it. */
  async function addTitled(set: { readonly slug: string; readonly urlPrefix: string }, title: string): Promise<void> {
    const { catalog, sets } = started.app;
    const id = catalogId((await sets.add(set)).id);
    const { body, version } = (await catalog.get<object>('set', id))!;
    await catalog.put('set', id, { ...body, title }, version);
  }

  describe('that leave the root', () => {
    beforeEach(async () => {
      await start();
      await mkdir(join(root, 'folder'));
      await writeFile(join(root, 'folder/open'), 'for everybody');
      await writeFile(join(started.folder, 'secret'), SECRET);
      await symlink(join(started.folder, 'secret'), join(root, 'link'));
      await symlink(started.folder, join(root, 'above'));
      const { body } = await post([event('folder/open'), event('link'), event('above/secret'), event('unlisted-link')]);
      assert.equal(body.applied, 4);
    });

    const UP = ['..', '%2e%2e', '.%2e', '%2E.', '%252e%252e', '%25252e%25252e', '%c0%ae%c0%ae', '%e0%80%ae%e0%80%ae'];
    const BETWEEN = ['/', '%2f', '%5c', '\\', '%252f', '%c0%af', '%c1%9c', '//', '/./', '/%2e/', '%00/', ';/'];
    const targets = UP.flatMap((up) =>
      BETWEEN.flatMap((between) => [
        `/sets/files/resources/${up}${between}secret`,
        `/sets/files/resources/folder${between}${up}${between}${up}${between}secret`,
        `/sets/files${between}${up}${between}${up}${between}secret`,
        `${between}${up}${between}secret`,
      ]),
    );
    const MORE = [
      '/sets/files/resources/link',
      '/sets/files/resources/above/secret',
      '/sets/files/resources/unlisted-link',
      '/sets/files/resources/folder/open%00',
      '/sets/files/resources/folder/open%00.xml',
      '/sets/files/resources//folder/open',
      '/sets/files/resources/folder//open',
      '/sets/files/resources/folder/open/',
      '/sets/files/resources/folder',
      '/sets/files/resources/',
      '/sets/files/resources/folder/./open%20',
      '/sets/files/resources/folder%2fopen',
      '/sets/files/resources/FOLDER/open',
      '/sets/../secret',
      '/sets/%2e%2e/resources/folder/open',
      '/sets/files%2f..%2ffiles/capabilitylist.xml',
      '/sets/files%00/capabilitylist.xml',
      '/sets/files/resourcelist-..%2f..%2fsecret.xml',
      '/sets/files/resourcelist-%2e%2e%2f%2e%2e%2fdocuments%2fsource.xml',
      '/sets/files/changelist-..%5c..%5csecret.xml',
      '/sets/files/changelist-1-00001%00.xml',
      '/api/sets/..%2ffiles',
      '/api/sets/files/resource?uri=../../secret',
      '/api/sets/files/pages/..%2f..%2fsecret/refresh',
      '/secret',
      '/tidemark.db',
      '/documents/source',
    ];

    it('get no byte from outside, in whatever encoding', async () => {
      const all = [...targets, ...MORE];
      for (let at = 0; at < all.length; at += 50) {
        await Promise.all(
          all.slice(at, at + 50).map(async (target) => {
            const answer = await sendRaw(url, headOf(`GET ${target}`));
            assert.ok(!answer.includes(SECRET), target);
            const status = statusOf(answer);
            assert.ok((status >= 400 && status < 500) || status === 301 || status === 308, `${target}: ${status}`);
          }),
        );
      }
      assert.equal((await ask(`${url}/sets/files/resources/folder/open`)).text, 'for everybody');
    });

    it('get none by targets that name a whole URI, an authority, or nothing', async () => {
      const { host } = new URL(url);
      for (const target of [
        `http://${host}/sets/files/resources/../../secret`,
        `http://${host}/sets/files/resources/%2e%2e/secret`,
        `http://${host}/../../secret`,
        'http://evil.example.org/sets/files/resources/../secret',
        'file:///etc/passwd',
        'file://localhost/etc/passwd',
        '/etc/passwd',
        '//etc/passwd',
        '///etc/passwd',
        '*',
        '?',
        '#',
        'sets/files/resources/folder/open',
        '..',
      ]) {
        const answer = await sendRaw(url, headOf(`GET ${target}`, { Host: host }));
        assert.ok(!answer.includes(SECRET) && !answer.includes('root:'), target);
        const status = statusOf(answer);
        assert.ok((status >= 400 && status < 500) || status === 200, `${target}: ${status}`);
        if (status === 200) assert.match(answer.toString(), /text\/html/);
      }
      const whole = await sendRaw(url, headOf(`GET http://${host}/sets/files/resources/folder/open`, { Host: host }));
      assert.match(whole.toString(), /for everybody$/);
    });

    it('cannot post what would be outside', async () => {
      const values = [
        '../secret',
        'folder/../../secret',
        '%2e%2e/secret',
        '%252e%252e/secret',
        '..%2fsecret',
        '..\\secret',
        '..%5csecret',
        './folder/open',
        '/etc/passwd',
        'folder/open\0',
        '',
      ];
      const { body } = await post(values.map((value) => event(value)));
      assert.equal(body.rejected, values.length, JSON.stringify(body.results));
      const paths = ['/etc/passwd', `${root}/../secret`, `${root}x/secret`, `${root}/%2e%2e/secret`];
      const absolute = await post(paths.map((value) => ({ ...event(''), location: { value, type: 'abs_path' } })));
      for (const { status, key } of absolute.body.results) {
        // An escape in a file's name is a part of the name.
        if (status !== 'rejected') assert.match(String(key), /%25/);
      }
    });

    it('cannot be answered from memory with what a link leads to now', async () => {
      const target = `${url}/sets/files/resources/folder/open`;
      await utimes(join(root, 'folder/open'), 1e9, 1e9);
      for (let time = 0; time < 3; time++) assert.equal((await ask(target)).status, 200);
      await mkdir(join(started.folder, 'elsewhere'));
      // The very same file, under another name.
      await link(join(root, 'folder/open'), join(started.folder, 'elsewhere/open'));
      await rename(join(root, 'folder'), join(root, 'was'));
      await symlink(join(started.folder, 'elsewhere'), join(root, 'folder'));
      assert.equal((await ask(target)).status, 404);
    });
  });

  describe('that bring headers of their own', () => {
    beforeEach(() => start());
    const INJECTIONS = [
      '\r\nX-Evil: 1',
      '\nX-Evil: 1',
      '\r X-Evil: 1',
      '%0d%0aX-Evil:%201',
      '%0aX-Evil:1',
      '\u010d\u010aX-Evil: 1',
      '\u2028X-Evil: 1',
    ];

    it('by values of an event: it is rejected, or they stay values', async () => {
      const fields = INJECTIONS.flatMap((text, at) => [
        event(`mime-${at}`, { mime: `text/plain${text}` }),
        event(`charset-${at}`, { mime: `text/plain; charset="${text}"` }),
        event(`rel-${at}`, { ln: [{ rel: `describes${text}`, href: { value: 'http://example.org/', type: 'url' } }] }),
        event(`href-${at}`, { ln: [{ rel: 'describes', href: { value: `http://example.org/${text}`, type: 'url' } }] }),
        event(`key-${at}${text}`),
      ]);
      const { body } = await post(fields);
      for (const [at, { status }] of body.results.entries()) {
        if (status === 'rejected') continue;
        const { value } = fields[at]!.location;
        const path = value.split('/').map(encodeURIComponent).join('/');
        await mkdir(join(root, value, '..'), { recursive: true });
        await writeFile(join(root, value), 'text');
        const answer = (await sendRaw(url, headOf(`GET /sets/files/resources/${path}`))).toString('latin1');
        assert.doesNotMatch(answer, /^x-evil/im, JSON.stringify(fields[at]));
      }
    });

    it('by paths, queries, slugs and ids of requests', async () => {
      for (const text of INJECTIONS) {
        const encoded = encodeURIComponent(text);
        for (const path of [
          `/sets/files${encoded}`,
          `/sets/files?${encoded}`,
          `/sets/${encoded}/`,
          `/sets/files/resourcelist-${encoded}.xml`,
          `/sets/files/resources/${encoded}`,
          `/sets/files/changelist.xml?from=${encoded}`,
          `/${encoded}`,
        ]) {
          const answer = await sendRaw(url, headOf(`GET ${path}`));
          const [head = ''] = answer.toString('latin1').split('\r\n\r\n');
          assert.doesNotMatch(head, /^x-evil/im, path);
        }
      }
      const id = await sendRaw(url, headOf('GET /healthz', { 'X-Request-Id': 'a<script>"\tb' }));
      assert.doesNotMatch(id.toString('latin1').split('\r\n\r\n')[0]!, /<script>/);
    });

    it('by a second Host, which a proxy may take for the only one', async () => {
      await start();
      for (const request of ['GET /healthz', 'GET /sets/files/resourcelist.xml', 'POST /api/sets/files/changes']) {
        const answer = await sendRaw(url, headOf(request, { host: 'elsewhere.example.org' }));
        assert.equal(statusOf(answer), 400, request);
        assert.match(answer.toString('latin1'), /"code":"several-hosts"/);
      }
    });

    it('by a Host that is none', async () => {
      for (const host of ['a b', 'a/b', 'x@y', '[::1', 'a:b', '<script>', 'ü.example.org']) {
        for (const path of ['/healthz', '/sets/files/resourcelist.xml', '/api/sets?limit=1']) {
          const answer = await sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
          assert.equal(statusOf(answer), 400, `${path} ${host}`);
          assert.match(answer.toString('latin1'), /"code":"wrong-host"/);
        }
      }
    });

    it('by titles of sets', async () => {
      const title = 'Title\r\nX-Evil: 1 <script>alert(1)</script>';
      await addTitled({ slug: 'titled', urlPrefix: 'https://data.example.org/titled/' }, title);
      for (const path of ['/', '/sets/titled/', '/.well-known/resourcesync', '/sets/titled/capabilitylist.xml']) {
        const answer = (await sendRaw(url, headOf(`GET ${path}`))).toString('latin1');
        assert.equal(statusOf(Buffer.from(answer)), 200, path);
        assert.doesNotMatch(answer.split('\r\n\r\n')[0]!, /^x-evil/im);
        assert.doesNotMatch(answer, /<script>alert/);
      }
    });
  });

  describe('that set properties of all objects', () => {
    const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'];
    beforeEach(() => start());
    afterEach(() => {
      const plain: Record<string, unknown> = {};
      assert.equal(plain.polluted, undefined);
      assert.equal(typeof plain.toString, 'function');
      assert.deepEqual(
        Object.getOwnPropertyNames(Object.prototype).filter((name) => name === 'polluted'),
        [],
      );
    });

    it('by names in JSON, at every depth', async () => {
      for (const name of NAMES) {
        const evil = `"${name}":{"polluted":true,"prototype":{"polluted":true}}`;
        for (const body of [
          `{${evil},"changes":[]}`,
          `{"changes":[{${evil},"location":{"value":"a","type":"rel_path"},"change":"created"}]}`,
          `{"changes":[{"location":{${evil},"value":"a","type":"rel_path"},"change":"created"}]}`,
          `{"changes":[{"location":{"value":"a","type":"rel_path"},"change":"created","ln":[{${evil},"rel":"self","href":{"value":"b","type":"rel_path"}}]}]}`,
          `{"changes":[${evil.slice(evil.indexOf(':') + 1)}]}`,
        ]) {
          const answer = await ask(`${url}/api/sets/files/changes`, { method: 'POST', headers: JSON_BODY, body });
          assert.ok(answer.status === 400 || /"rejected":1/.test(answer.text), `${body}: ${answer.text}`);
        }
      }
    });

    it('by names in NDJSON', async () => {
      const lines = NAMES.map(
        (name) => `{"${name}":{"polluted":true},"location":{"value":"a","type":"rel_path"},"change":"created"}`,
      );
      const { text } = await ask(`${url}/api/sets/files/changes`, {
        method: 'POST',
        headers: NDJSON_BODY,
        body: lines.join('\n'),
      });
      assert.equal(JSON.parse(text).rejected, NAMES.length, text);
    });

    it('by values that name them', async () => {
      const { body } = await post(NAMES.map((name) => event(name, { source: name, position: 1 })));
      assert.equal(body.applied, NAMES.length, JSON.stringify(body));
      for (const name of NAMES) {
        const hash = await post([
          event('hashed', { hash: `${name}:abcd` }),
          event('linked', { ln: [{ rel: name, href: { value: 'b', type: 'rel_path' } }] }),
        ]);
        assert.equal(hash.body.rejected, 2, JSON.stringify(hash.body));
      }
    });

    it('by names in queries and paths', async () => {
      for (const name of NAMES) {
        for (const path of [
          `/api/sets/files/changes?${name}=1`,
          `/api/sets/files/changes?${name}[polluted]=1`,
          `/api/sets/files/resources?limit[${name}]=1`,
          `/api/sets/${name}`,
          `/sets/${name}/`,
          `/sets/files/resourcelist-${name}.xml`,
          `/sets/files/changelist.xml?from[${name}]=polluted`,
        ]) {
          const { status } = await ask(url + path);
          assert.ok(status < 500, `${path}: ${status}`);
        }
      }
    });
  });

  describe('that write XML', () => {
    const TEXTS = [
      ']]>',
      '<loc>http://evil.example.org/</loc>',
      '</url></urlset><urlset>',
      '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>&y;',
      '<?xml-stylesheet href="http://evil.example.org/"?>',
      '&lt;&amp;&#60;&y;',
      '" rel="evil" x="',
      "' x='",
      '<![CDATA[',
      '-->',
      '%',
      '%zz%',
      '[]{}|^`',
      'a#b#c',
      '\u0000',
      '\u0001',
      '\u000b',
      '\u001f',
      '\u007f',
      '\u0085',
      '\ud800',
      '\udc00',
      'a\ud800b',
      '\ufffe',
      '\uffff',
      '\u{1fffe}',
      '\u2028',
      '\t\n\r',
      '\u202e',
      '\u{1f5fa}',
    ];
    /** Each puts a text into one place of an event. */
    const PLACES: Readonly<Record<string, (text: string, at: number) => object>> = {
      'location.value (rel_path)': (text, at) => event(`rel/${at}/${text}`),
      'location.value (abs_path)': (text, at) => ({
        ...event(''),
        location: { value: `${root}/abs/${at}/${text}`, type: 'abs_path' },
      }),
      'location.value (url)': (text, at) => ({
        ...event(''),
        location: { value: `http://example.org/${at}/${text}`, type: 'url' },
      }),
      'location.value (url with a query)': (text, at) => ({
        ...event(''),
        location: { value: `http://example.org/${at}?q=${text}#${text}`, type: 'url' },
      }),
      'location.type': (text, at) => ({ ...event(''), location: { value: `type/${at}`, type: text } }),
      change: (text, at) => event(`change/${at}`, { change: text }),
      length: (text, at) => event(`length/${at}`, { length: text }),
      md5: (text, at) => event(`md5/${at}`, { md5: text }),
      hash: (text, at) => event(`hash/${at}`, { hash: `sha-256:${text}` }),
      'hash (algorithm)': (text, at) => event(`algorithm/${at}`, { hash: [`${text}:abcd`] }),
      mime: (text, at) => event(`mime/${at}`, { mime: `text/${text}` }),
      'mime (parameter)': (text, at) => event(`parameter/${at}`, { mime: `text/plain; name="${text}"` }),
      lastmod: (text, at) => event(`lastmod/${at}`, { lastmod: `2026-01-31T12:00:00${text}Z` }),
      'ln.rel': (text, at) => event(`ln-rel/${at}`, { ln: [{ rel: text, href: { value: 'a', type: 'rel_path' } }] }),
      'ln.rel (URI)': (text, at) =>
        event(`ln-uri/${at}`, { ln: [{ rel: `http://example.org/${text}`, href: { value: 'a', type: 'rel_path' } }] }),
      'ln.href': (text, at) =>
        event(`ln-href/${at}`, { ln: [{ rel: 'self', href: { value: `http://example.org/${text}`, type: 'url' } }] }),
      'ln.mime': (text, at) =>
        event(`ln-mime/${at}`, {
          ln: [{ rel: 'self', href: { value: 'a', type: 'rel_path' }, mime: `a/b; c="${text}"` }],
        }),
      source: (text, at) => event(`source/${at}`, { source: text, position: 1 }),
      order: (text, at) => event(`order/${at}`, { order: text }),
      position: (text, at) => event(`position/${at}`, { source: 's', position: text }),
      resource_set: (text, at) => event(`set/${at}`, { resource_set: text }),
      timestamp: (text, at) => event(`timestamp/${at}`, { timestamp: text }),
      datetime: (text, at) => event(`datetime/${at}`, { datetime: text }),
    };

    it('are tried in every field of an event', () => {
      const tried = new Set(Object.keys(PLACES).map((place) => place.split(/[. ]/)[0]));
      assert.deepEqual(tried, new Set(Object.keys(postedEventSchema.shape)));
    });

    itWithXmllint(
      'get their text rejected or escaped: every document stays valid, with nothing of theirs in it',
      async () => {
        await start();
        const events = Object.values(PLACES).flatMap((place) => TEXTS.map((text, at) => place(text, at)));
        const { body } = await post(events);
        assert.equal(body.results.length, events.length);
        assert.ok(body.applied > TEXTS.length && body.rejected > 5 * TEXTS.length, `${body.applied}, ${body.rejected}`);
        for (const name of ['capabilitylist', 'resourcelist', 'changelist', 'changelist-recent']) {
          const { status, text } = await ask(`${url}/sets/files/${name}.xml`);
          assert.equal(status, 200);
          assert.deepEqual(schemaErrors(text), [], name);
          assert.doesNotMatch(text, /<!|<\?xml-stylesheet|root:/);
          const { root: urlset } = parseDocument(`${name}.xml`, text);
          for (const { name: element, children } of urlset.children) {
            const loc = children.find((child) => child.name === 'loc');
            assert.ok(element !== 'url' || !loc?.text.startsWith('http://evil'), loc?.text);
          }
          if (name === 'resourcelist') assert.match(text, /&lt;|%3C/);
        }
      },
    );

    itWithXmllint('in titles, prefixes and names of pages', async () => {
      await start();
      for (const [at, text] of TEXTS.entries()) {
        const urlPrefix = `http://example.org/${encodeURIComponent(text.toWellFormed())}/`;
        await addTitled({ slug: `titled-${at}`, urlPrefix }, text);
        await ask(`${url}/sets/titled-${at}/resourcelist-${encodeURIComponent(text.toWellFormed())}.xml`);
        const { text: list } = await ask(`${url}/sets/titled-${at}/capabilitylist.xml`);
        assert.deepEqual(schemaErrors(list), []);
        const page = await ask(`${url}/sets/titled-${at}/`);
        assert.equal(page.status, 200);
        assert.doesNotMatch(page.text, /<loc>http:\/\/evil/);
      }
      assert.deepEqual(schemaErrors((await ask(`${url}/.well-known/resourcesync`)).text), []);
    });
  });

  describe('of a web page of another origin', () => {
    const EVIL = 'https://evil.example.org';
    const forms = [
      ['application/x-www-form-urlencoded', 'changes=1'],
      ['text/plain', '{"changes":[]}'],
      ['text/plain;charset=UTF-8', '{"changes":[]}'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n{"changes":[]}\r\n--x--',
      ],
      ['', '{"changes":[]}'],
    ] as const;

    it('cannot post a form, with or without telling where it is from', async () => {
      await start();
      for (const [type, body] of forms) {
        for (const origin of [
          {},
          { Origin: EVIL },
          { Origin: 'null' },
          { Origin: url.replace('127.0.0.1', 'localhost.evil.example.org') },
        ]) {
          const headers = { ...(type !== '' && { 'Content-Type': type }), ...origin } as Record<string, string>;
          const { status } = await ask(`${url}/api/sets/files/changes`, { method: 'POST', headers, body });
          assert.ok(status === 403 || status === 415, `${type} ${JSON.stringify(origin)}: ${status}`);
        }
      }
    });

    it('gets no permission by CORS', async () => {
      await start();
      const asked = (method: string, headers: Record<string, string>) =>
        ask(`${url}/api/sets/files/changes`, { method, headers });
      const preflight = await asked('OPTIONS', {
        Origin: EVIL,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      });
      const read = await asked('GET', { Origin: EVIL });
      assert.ok(preflight.status >= 400);
      for (const { headers } of [preflight, read]) {
        for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control-/);
      }
    });

    it('cannot post by a fetch of its own, nor by one that a browser marks as from another site', async () => {
      await start();
      for (const headers of [{ Origin: EVIL }, { 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }]) {
        assert.equal((await post([event('a')], 'files', headers as never)).status, 403, JSON.stringify(headers));
      }
    });

    it('cannot send requests under a name of its own that leads here (DNS rebinding)', async () => {
      await start({ baseUrl: 'https://data.example.org' });
      for (const host of [
        'evil.example.org',
        'evil.example.org:80',
        '127.0.0.1.evil.example.org',
        'localhost.evil.example.org',
        '127.0.0.1@evil.example.org',
        '0.0.0.0',
        '[::]',
        '2130706433.example.org',
      ]) {
        for (const path of ['/', '/sets/papers/capabilitylist.xml', '/api/sets', '/sets/papers/capabilitylist.xml']) {
          const { status, text } = await ask(url + path, { headers: { Host: host } });
          assert.ok(status === 403 || status === 400, `${host} ${path}: ${status} ${text.slice(0, 100)}`);
          if (status === 403) assert.match(text, /TIDEMARK_BASE_URL/);
        }
        assert.notEqual((await post([event('a')], 'papers', { Host: host })).status, 200);
      }
      for (const head of [
        'GET / HTTP/1.1\r\nHost:',
        'GET / HTTP/1.1\r\nHost: ',
        'GET / HTTP/1.1\r\nX: y',
        'GET / HTTP/1.0\r\nX: y',
      ]) {
        const status = statusOf(await sendRaw(url, `${head}\r\nConnection: close\r\n\r\n`));
        assert.ok(status === 403 || status === 400, `${head}: ${status}`);
      }
      // Also when the answer was given before to a client that asks by the right name.
      for (let time = 0; time < 3; time++) {
        assert.equal((await ask(`${url}/sets/papers/capabilitylist.xml`)).status, 200);
        const { status } = await ask(`${url}/sets/papers/capabilitylist.xml`, {
          headers: { Host: 'evil.example.org' },
        });
        assert.equal(status, 403);
      }
    });
  });

  it('that hide a request in another are refused', async () => {
    await start({ token: new Secret('open-sesame') });
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
    for (const headers of [
      `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n`,
      `Content-Length: 1\r\nContent-Length: ${hidden.length}\r\n`,
      'Transfer-Encoding: xchunked\r\n',
      'Transfer-Encoding: chunked, identity\r\n',
      'Transfer-Encoding : chunked\r\n',
      'Content-Length: +5\r\n',
      'Content-Length: 0x10\r\n',
      `X: y\nContent-Length: ${hidden.length}\r\n`,
    ]) {
      const text = `POST /api/sets/files/changes HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n0\r\n\r\n${hidden}`;
      const answer = (await sendRaw(url, text)).toString('latin1');
      assert.match(answer, /^HTTP\/1\.1 400 /, headers);
      assert.equal(answer.split('HTTP/1.1 ').length, 2, `${headers}: ${answer}`);
    }
  });
});

describeOnEachStore('A token over HTTP', (store) => {
  afterEach(closeApps);

  it('is in no answer and no line of the log, wherever a client puts it', async () => {
    const TOKEN = 'open-sesame-0123456789';
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const { url } = await startApp(store, { token: new Secret(TOKEN) }, { logger, accessLog: logger });
    for (const headers of [
      { Authorization: `Bearer ${TOKEN}` },
      { Authorization: `Bearer ${TOKEN}x` },
      { Authorization: `Basic ${Buffer.from(`user:${TOKEN}`).toString('base64')}` },
    ]) {
      for (const path of [
        '/',
        '/api/sets',
        '/api/sets/none',
        '/sets/none/resourcelist.xml',
        '/nothing',
        '/api/sets/none/changes?limit=x',
      ]) {
        const { text } = await ask(url + path, { headers });
        assert.ok(!text.includes(TOKEN), path);
      }
      await askJson(`${url}/api/sets/none/changes`, { changes: [] }, headers);
    }
    for (const path of [`/api/sets?token=${TOKEN}`, `/api/sets/none?access_token=${TOKEN}`]) await ask(url + path);
    assert.ok(lines.length > 10);
    const log = lines.join('');
    assert.ok(!log.includes(TOKEN), log);
    assert.ok(!log.includes(Buffer.from(`user:${TOKEN}`).toString('base64')));
  });
});
