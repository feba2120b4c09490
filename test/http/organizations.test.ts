import assert from 'node:assert/strict';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

describeOnEachStore('Organizations over HTTP', (store, itOnce) => {
  let started: StartedApp;

  before(async () => {
    started = await startApp(store);
  });
  after(closeApps);

  const at = (path: string) => `${started.url}/api/organizations${path}`;
  const show = async (path: string) => (await askJson(at(path))).body;
  const change = async (path: string, value: object) => {
    const { status, text } = await ask(at(path), { method: 'PATCH', body: JSON.stringify(value), headers: JSON_BODY });
    return { status, body: JSON.parse(text) };
  };

  itOnce('are added and changed, with their streams, of which the first is the default', async () => {
    const contacts = [{ name: 'Ada', email: 'ada@example.org' }, { name: 'Front desk' }];
    const added = await askJson(at(''), { organization: 'lane', title: ' Lane Library ', contacts });
    assert.deepEqual([added.status, added.headers.location], [201, 'organizations/lane']);
    const { created, ...view } = added.body;
    assert.deepEqual(view, { organization: 'lane', title: 'Lane Library', contacts, private: false, streams: [] });

    const first = await askJson(at('/lane/streams'), { stream: 'main' });
    assert.deepEqual([first.status, first.headers.location], [201, 'streams/main']);
    await askJson(at('/lane/streams'), { stream: 'full-2026', title: 'All of 2026' });
    const { defaultStream, streams, ...others } = await show('/lane');
    assert.deepEqual(others, { organization: 'lane', title: 'Lane Library', contacts, private: false, created });
    assert.equal(defaultStream, 'main');
    const [main, full] = streams;
    assert.deepEqual([main.stream, main.default, full.stream, full.default], ['main', true, 'full-2026', false]);
    assert.deepEqual(await show('/lane/streams'), { organization: 'lane', streams });
    assert.deepEqual(await show('/lane/streams/full-2026'), full);
    assert.ok((await show('')).organizations.some((one: object) => 'organization' in one));

    const { title: _, ...untitled } = others;
    const changed = await change('/lane', { title: null, contacts: [] });
    assert.deepEqual(changed.body, { ...untitled, contacts: [], defaultStream, streams });
  });

  itOnce('give their sets titles that are cut between characters', async () => {
    for (const [organization, length] of [
      ['odd', 489],
      ['even', 490],
    ] as const) {
      const title = `${'x'.repeat(length)}\u{1f5fa}\u{1f5fa}`;
      assert.equal((await askJson(at(''), { organization, title })).status, 201);
      // The sets are made again for all organizations, until each has its own.
      await started.app.records.organizations.ensureSets();
      for (const what of ['', '.uploads', '.dumps']) {
        const set = await started.app.sets.bySlug(`${organization}${what}`);
        assert.ok(set.title!.isWellFormed() && set.title!.length >= 499, set.title);
      }
    }
  });

  itOnce('have a normalization, which is replaced as a whole and removed', async () => {
    const items = [{ source: '952', destination: '998', subfields: { i: 'p', a: 'o' } }];
    const normalization = { kind: 'pod', code: 'CSt', items };
    const added = await askJson(at(''), { organization: 'pod', normalization });
    assert.deepEqual([added.status, added.body.normalization], [201, normalization]);
    const other = { kind: 'pod', items: [] };
    assert.deepEqual((await change('/pod', { normalization: other })).body.normalization, other);
    assert.deepEqual((await change('/pod', { title: 'POD' })).body.normalization, other);
    assert.equal((await change('/pod', { normalization: null })).body.normalization, undefined);
    assert.equal((await show('/pod')).normalization, undefined);
  });

  itOnce('have a normalization that MARC can have', async () => {
    await askJson(at(''), { organization: 'marc' });
    const mapping = { source: '952', destination: '998', subfields: { i: 'p' } };
    const refused: readonly (readonly [object, RegExp])[] = [
      [{ kind: 'other', items: [] }, /normalization/],
      [{ kind: 'pod', items: [], code: ' x' }, /the code of an organization is 1 to 50 characters/],
      [{ kind: 'pod', items: [{ ...mapping, source: '001' }] }, /"001" is not the tag of a data field/],
      [{ kind: 'pod', items: [{ ...mapping, destination: '99' }] }, /"99" is not the tag of a data field/],
      [{ kind: 'pod', items: [{ ...mapping, subfields: {} }] }, /the items in 952 have no subfields/],
      [{ kind: 'pod', items: [{ ...mapping, subfields: { 8: 'p' } }] }, /"8=p" of the items in 952: use letters/],
      [{ kind: 'pod', items: [{ ...mapping, subfields: { i: 'pp' } }] }, /"i=pp" of the items in 952/],
      [{ kind: 'pod', items: Array.from({ length: 21 }, () => mapping) }, /more than 20|20/],
    ];
    for (const [normalization, message] of refused) {
      const { status, body } = await change('/marc', { normalization });
      assert.equal(status, 400, JSON.stringify(normalization));
      assert.match(body.error.message, message);
    }
  });

  it('have exactly one default stream, which takes uploads', async () => {
    await askJson(at(''), { organization: 'default' });
    const ids = ['a', 'b', 'c', 'd'];
    const made = await Promise.all(ids.map((stream) => askJson(at('/default/streams'), { stream })));
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 201, 201, 201],
    );
    assert.equal(made.filter(({ body }) => body.default).length, 1);

    const other = ids.find((id) => !made[ids.indexOf(id)]!.body.default)!;
    // Whichever comes first, the other one is refused: at no time is an archived stream the default.
    const both = await Promise.all([
      change(`/default/streams/${other}`, { default: true }),
      change(`/default/streams/${other}`, { archived: true }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const { defaultStream, streams } = await show('/default');
    const defaults = streams.filter((one: { default: boolean }) => one.default);
    assert.deepEqual(
      defaults.map((one: { stream: string }) => one.stream),
      [defaultStream],
    );
    assert.equal(defaults[0].archived, undefined);
  });

  itOnce('keep an archived stream, and can use it again', async () => {
    await askJson(at(''), { organization: 'archive' });
    for (const stream of ['main', 'old']) await askJson(at('/archive/streams'), { stream });
    const archived = await change('/archive/streams/old', { archived: true });
    assert.match(archived.body.archived, /^\d{4}-.*Z$/);
    assert.equal((await change('/archive/streams/old', { title: 'Old' })).body.archived, archived.body.archived);
    const refused = await change('/archive/streams/old', { default: true });
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict']);
    assert.match(refused.body.error.message, /the stream old of archive is archived/);
    assert.match(
      (await change('/archive/streams/main', { archived: true })).body.error.message,
      /the stream main is the default of archive: make another one the default first/,
    );
    assert.equal((await change('/archive/streams/old', { archived: false, default: true })).status, 200);
    const both = await change('/archive/streams/main', { default: true, archived: true });
    assert.equal(both.status, 409);
    assert.match(both.body.error.message, /^an archived stream cannot be the default one/);
    assert.equal((await show('/archive')).defaultStream, 'old');
  });

  itOnce('are refused with what is wrong', async () => {
    await askJson(at(''), { organization: 'known' });
    await askJson(at('/known/streams'), { stream: 'main' });
    for (const [path, value, status, message] of [
      ['', { organization: 'known' }, 409, /there is an organization "known" already/],
      ['', { organization: 'Lane!' }, 400, /"Lane!" is not a valid id of an organization: use lower-case/],
      ['', { organization: 'a--b' }, 400, /it has "--"/],
      ['', { organization: 'a.uploads' }, 400, /its end is that of the sets of uploads/],
      ['', { organization: 'a'.repeat(51) }, 400, /it has more than 50 characters, since .* at most 64/],
      [
        '',
        { organization: 'x', contacts: [{ name: 'Ada', email: 'nowhere' }] },
        400,
        /"nowhere" is not an e-mail address/,
      ],
      ['', { organization: 'x', contacts: [{ name: ' ' }] }, 400, /the name of a contact/],
      ['', { organization: 'x', title: 'a\nb' }, 400, /a title is one line/],
      ['', { organization: 'x', title: 'a\ud800b' }, 400, /a title is one line/],
      ['/known/streams', { stream: 'x', title: 'a\udc00' }, 400, /a title is one line/],
      ['', { organization: 'x', contacts: [{ name: 'a\ud800' }] }, 400, /the name of a contact/],
      ['', { organization: 'x', colour: 'red' }, 400, /there is no field "colour" here: there are organization, title/],
      ['', { organisation: 'x' }, 400, /there is no field "organisation" here: did you mean "organization"\?/],
      ['', { title: 'x' }, 400, /^organization is missing$/],
      ['', { organization: 7 }, 400, /^organization is wrong: use a text$/],
      ['', { organization: 'x', contacts: [{ name: 'Ada', mail: '' }] }, 400, /there is no field "contacts.0.mail"$/],
      ['', [], 400, /^body is wrong: use an object$/],
      ['/known/dumps', { kind: 'whole' }, 400, /^kind is wrong: use one of full, delta$/],
      ['/known/streams', { stream: 'main' }, 409, /the organization known has a stream "main" already/],
      ['/known/streams', { stream: 'a'.repeat(50) }, 400, /it has more than 49 characters, since .* at most 64/],
      ['/knwon/streams', { stream: 'main' }, 404, /there is no organization "knwon": did you mean "known"\?/],
    ] as const) {
      const answer = await askJson(at(path), value);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.match(answer.body.error.message, message);
    }
    assert.match((await show('/known/streams/mian')).error.message, /no stream "mian": did you mean "main"\?/);
    for (const stream of ['a'.repeat(49), '6ad0e2f3-5b7c-4d8e-9f01-23456789abcd']) {
      assert.equal((await askJson(at('/known/streams'), { stream })).status, 201, stream);
      assert.equal((await started.app.sets.bySlug(`known--${stream}.uploads`)).slug.length, stream.length + 15);
    }
    const longest = 'o'.repeat(50);
    assert.equal((await askJson(at(''), { organization: longest })).status, 201);
    assert.equal((await askJson(at(`/${longest}/streams`), { stream: 'main' })).status, 201);
    assert.equal((await ask(at('/x'))).status, 404);
  });
});
