import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { ask } from '../support/ask.ts';
import { Consortium, type Notes } from '../support/consortium.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { askOai, codesOf, headersOf, type OaiArguments, pagesOf, tokenOf } from '../support/oai-answers.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { oaiErrors } from '../support/xsd.ts';

const IDENTIFIERS = { verb: 'ListIdentifiers', metadataPrefix: 'marc21' };

describeOnEachStore('The repository of all organizations', (store, itOnce) => {
  let started: StartedApp;
  let consortium: Consortium;
  /** A reader of every organization. */
  let bearer: Record<string, string>;

  beforeEach(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    consortium = new Consortium(started.app, started.folder);
    for (const id of ['lane', 'brown', 'yale']) await consortium.add(id);
    await consortium.add('sealed', { isPrivate: true });
    await started.app.records.organizations.add('empty', { contacts: [] });
    const { token } = await started.app.access.tokens.create({ name: 'podlake', scopes: ['read:*'] });
    bearer = { Authorization: `Bearer ${token}` };
  });
  afterEach(closeApps);

  const oai = async (parameters: OaiArguments, headers = bearer) => {
    const answer = await askOai(`${started.url}/oai`, parameters, headers);
    assert.deepEqual(oaiErrors(answer), []);
    return answer;
  };
  const pages = (parameters: OaiArguments, between?: () => Promise<void>) =>
    pagesOf(`${started.url}/oai`, parameters, { headers: bearer, ...(between && { between }) });
  const listed = async (parameters: OaiArguments, between?: () => Promise<void>) =>
    (await pages(parameters, between)).flatMap(headersOf);
  const namesOf = (headers: readonly { readonly identifier: string; readonly isDeleted: boolean }[]) =>
    headers.map(({ identifier, isDeleted }) => `${isDeleted ? '-' : ''}${identifier.replace(/^oai:127.0.0.1:/, '')}`);

  it('has a set for each organization, as programs for POD find them (130)', async () => {
    const answer = await oai({ verb: 'ListSets' });
    const sets = [...answer.matchAll(/<setSpec>(.*?)<.*?<dc:contributor>(.*?)<.*?<dc:type>(.*?)</gs)];
    assert.deepEqual(
      sets.map(([, spec, contributor, type]) => `${spec} ${contributor} ${type}`),
      ['brown brown default', 'lane lane default', 'sealed sealed default', 'yale yale default'],
    );
    assert.match(answer, /<setName>Library of lane<\/setName>.*Default stream of Library of lane, \d{4}-\d\d-\d\d\//s);
    const formats = await oai({ verb: 'ListMetadataFormats' });
    assert.deepEqual([...formats.matchAll(/<metadataPrefix>(\w+)/g)].map(([, one]) => one).sort(), [
      'marc21',
      'oai_dc',
    ]);
    const identity = await oai({ verb: 'Identify' });
    for (const expected of [
      `<baseURL>${started.url}/oai</baseURL>`,
      '<deletedRecord>persistent</deletedRecord>',
      `rel="resourcesync" href="${started.url}/.well-known/resourcesync"`,
    ]) {
      assert.ok(identity.includes(expected), expected);
    }
  });

  it('lists the records of all, or of one, with deletions, and gives each by its identifier (130)', async () => {
    await consortium.put('lane', { a: 'one', b: 'two' });
    await consortium.put('yale', { a: 'three' });
    await consortium.put('sealed', { s: 'secret' });
    await consortium.put('lane', { a: undefined, c: 'four' });
    const all = await listed(IDENTIFIERS);
    assert.deepEqual(namesOf(all), ['lane/b', '-lane/a', 'lane/c', 'sealed/s', 'yale/a']);
    for (const { identifier, sets, isDeleted } of all) {
      assert.deepEqual(sets, [/:(\w+)\//.exec(identifier)![1]]);
      const record = await oai({ verb: 'GetRecord', metadataPrefix: 'marc21', identifier });
      assert.deepEqual(
        headersOf(record).map(({ sets }) => sets),
        [sets],
      );
      assert.equal(record.includes('<record xmlns="http://www.loc.gov/MARC21/slim">'), !isDeleted);
      const formats = await oai({ verb: 'ListMetadataFormats', identifier });
      assert.deepEqual(codesOf(formats), isDeleted ? ['noMetadataFormats'] : []);
    }
    assert.deepEqual(namesOf(await listed({ ...IDENTIFIERS, set: 'lane' })), ['lane/b', '-lane/a', 'lane/c']);
    const ofStream = await listed({ ...IDENTIFIERS, set: 'lane--main' });
    assert.deepEqual(namesOf(ofStream), ['lane--main/b', '-lane--main/a', 'lane--main/c']);
    assert.deepEqual(ofStream[0]!.sets, ['lane--main']);
    const record = await oai({ verb: 'ListRecords', metadataPrefix: 'marc21', set: 'yale' });
    assert.match(record, /<subfield code="a">three<\/subfield>/);
    assert.deepEqual(namesOf(headersOf(await oai(IDENTIFIERS, {}))), ['lane/b', '-lane/a', 'lane/c', 'yale/a']);
  });

  it('walks over the organizations, while they change, and misses nothing from its response date on', async () => {
    await consortium.put('brown', numbered(700));
    await consortium.put('lane', numbered(500));
    await consortium.put('yale', numbered(900));
    const second = Math.floor(Date.now() / 1000);
    const times = [
      async () => {
        // Later than the response date of the first page, in seconds.
        await until('the next second', async () => Date.now() / 1000 > second + 1);
        await consortium.put('brown', { r1: 'changed', r2: undefined, new: 'new' });
      },
      () => consortium.put('lane', { r499: 'changed', r450: undefined }),
    ];
    const answers = await pages(IDENTIFIERS, async () => times.shift()?.());
    assert.deepEqual(
      answers.map((answer) => headersOf(answer).length),
      [1_000, 1_000, 100],
    );
    const dates = answers.map((answer) => /<responseDate>([^<]*)/.exec(answer)![1]!);
    assert.equal(new Set(dates).size, 1);
    const from = dates.at(-1)!;
    const state = new Set<string>();
    for (const { identifier, isDeleted } of [
      ...answers.flatMap(headersOf),
      ...(await listed({ ...IDENTIFIERS, from })),
    ]) {
      if (isDeleted) state.delete(identifier);
      else state.add(identifier);
    }
    const expected = [
      ...Object.keys(numbered(700))
        .filter((id) => id !== 'r2')
        .concat('new')
        .map((id) => `brown/${id}`),
      ...Object.keys(numbered(500))
        .filter((id) => id !== 'r450')
        .map((id) => `lane/${id}`),
      ...Object.keys(numbered(900)).map((id) => `yale/${id}`),
    ];
    assert.deepEqual([...state].map((id) => id.replace('oai:127.0.0.1:', '')).sort(), expected.sort());
    await consortium.add('zoo');
    await consortium.put('zoo', { a: 'a second later' });
    const [, earliest] = /<earliestDatestamp>([^<]*)/.exec(await oai({ verb: 'Identify' }))!;
    assert.ok(Date.parse(earliest!) / 1000 <= second, earliest);
  });

  itOnce('goes on by a token for ever: when an organization has ended, and when no record is left', async () => {
    await consortium.put('brown', numbered(1_000));
    await consortium.put('lane', { a: 'one' });
    const first = await oai(IDENTIFIERS);
    const token = tokenOf(first)!;
    const [version, verb, prefix, set, at, ...rest] = JSON.parse(Buffer.from(token, 'base64url').toString());
    assert.equal(at, 'brown');
    const changed = (parts: readonly unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const next = { verb: 'ListIdentifiers', resumptionToken: token };
    assert.deepEqual(namesOf(headersOf(await oai(next))), ['lane/a']);
    // Of an organization that does not exist any more.
    const ended = changed([version, verb, prefix, set, 'brandeis', ...rest]);
    assert.deepEqual(headersOf(await oai({ ...next, resumptionToken: ended })).length, 1_000);
    // What the token has promised has changed: the last record before it comes once more, as its list is not empty.
    const [after, from, , cursor, began] = rest;
    const until = changed([version, verb, prefix, set, at, after, from, after, cursor, began]);
    const last = headersOf(first).at(-1)!;
    assert.deepEqual(headersOf(await oai({ ...next, resumptionToken: until })), [last]);
    assert.match(await oai({ ...next, resumptionToken: until }), /<resumptionToken cursor="1000"><\/resumptionToken>/);
    for (const bad of [[version], [1, verb, prefix, set, at, ...rest], [version, verb, prefix, 7, at, ...rest]]) {
      assert.deepEqual(codesOf(await oai({ ...next, resumptionToken: changed(bad) })), ['badResumptionToken']);
    }
    assert.deepEqual(codesOf(await oai({ verb: 'ListRecords', resumptionToken: token })), ['badResumptionToken']);
  });

  itOnce('answers faults with the codes of the protocol', async () => {
    await consortium.put('lane', numbered(1_001));
    const one = `${started.url}/oai/lane`;
    const foreign = tokenOf(await askOai(one, IDENTIFIERS))!;
    const own = tokenOf(await oai(IDENTIFIERS))!;
    const identifier = 'oai:127.0.0.1:lane/none';
    for (const [parameters, ...expected] of [
      [{}, 'badVerb'],
      [{ verb: 'ListRecords' }, 'badArgument'],
      [{ verb: 'Identify', foo: 'bar' }, 'badArgument'],
      [{ ...IDENTIFIERS, set: '392487' }, 'noRecordsMatch'],
      [{ ...IDENTIFIERS, set: '' }, 'noRecordsMatch'],
      [{ ...IDENTIFIERS, set: 'empty' }, 'noRecordsMatch'],
      [{ ...IDENTIFIERS, set: 'lane.uploads' }, 'noRecordsMatch'],
      [{ ...IDENTIFIERS, from: '2999-01-01' }, 'noRecordsMatch'],
      [{ ...IDENTIFIERS, metadataPrefix: 'foo' }, 'cannotDisseminateFormat'],
      [{ verb: 'GetRecord', identifier, metadataPrefix: 'marc21' }, 'idDoesNotExist'],
      [{ verb: 'GetRecord', identifier: 'lane', metadataPrefix: 'marc21' }, 'idDoesNotExist'],
      [{ verb: 'ListIdentifiers', resumptionToken: foreign }, 'badResumptionToken'],
      [{ verb: 'ListIdentifiers', resumptionToken: own }],
    ] as const) {
      assert.deepEqual(codesOf(await oai(parameters)), expected, JSON.stringify(parameters));
    }
    const refused = await askOai(one, { verb: 'ListIdentifiers', resumptionToken: own });
    assert.deepEqual(codesOf(refused), ['badResumptionToken']);
    const none = await startApp(store);
    assert.deepEqual(codesOf(await askOai(`${none.url}/oai`, { verb: 'ListSets' })), ['noSetHierarchy']);
    assert.deepEqual(codesOf(await askOai(`${none.url}/oai`, IDENTIFIERS)), ['noRecordsMatch']);
    assert.deepEqual(codesOf(await askOai(`${none.url}/oai`, { verb: 'Identify' })), []);
  });

  itOnce('takes arguments as a form, and is for its sender alone', async () => {
    const { status, text, headers } = await ask(`${started.url}/oai`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...bearer },
      body: 'verb=ListSets',
    });
    assert.deepEqual([status, headers['content-type']], [200, 'text/xml; charset=utf-8']);
    assert.match(text, /<setSpec>sealed</);
    assert.match(text, /<\?xml-stylesheet type="text\/xsl" href="oai.xsl"\?>/);
    assert.match(headers['cache-control']!, /^private/);
    assert.equal((await ask(`${started.url}/oai.xsl`)).status, 200);
  });
});

function numbered(count: number): Notes {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, `Record ${at}`]));
}
