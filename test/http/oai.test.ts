import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Secret } from '../../src/config/secret.ts';
import { NSDL_DC, OAI_DC } from '../../src/records/metadata-format.ts';
import { readDublinCore } from '../../src/records/transforms/dublin-core/read-dublin-core.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { dcRecord, HarvestedSet } from '../support/harvested-set.ts';
import { encodeSample } from '../support/marc-records.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { ProcessedStream } from '../support/upload-processing.ts';
import { itWithXmllint, oaiErrors } from '../support/xsd.ts';

const SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

describe('A repository of OAI-PMH', () => {
  let started: StartedApp;
  let arxiv: HarvestedSet;
  /** All answers, which the schema judges at the end. */
  const answers: string[] = [];

  before(async () => {
    started = await startApp(SQLITE, { token: new Secret('open-sesame'), adminEmail: 'oai@example.org' });
    const { app } = started;
    arxiv = await HarvestedSet.make(app, 'arxiv');
    const records = Array.from({ length: 2_500 }, (_, at) => `oai:arxiv:${at}`);
    await arxiv.post(Object.fromEntries(records.map((id) => [id, dcRecord(id, `Title ${id}`)])));
    await arxiv.post({ 'oai:arxiv:7': undefined });
  });
  after(closeApps);

  const query = (parameters: Readonly<Record<string, string>> | string) => new URLSearchParams(parameters).toString();

  async function oai(set: string, parameters: Readonly<Record<string, string>> | string): Promise<string> {
    const { status, text, headers } = await ask(`${started.url}/oai/${set}?${query(parameters)}`);
    assert.equal(status, 200, text);
    assert.equal(headers['content-type'], 'text/xml; charset=utf-8');
    answers.push(text);
    return text;
  }

  const codes = (answer: string) => [...answer.matchAll(/<error code="(\w+)">/g)].map(([, code]) => code);
  const identifiers = (answer: string) =>
    [...answer.matchAll(/<header[^>]*><identifier>([^<]*)</g)].map(([, id]) => id!);
  const tokenOf = (answer: string) => /<resumptionToken[^>]*>([^<]+)</.exec(answer)?.[1];

  /** The identifiers of all pages. */
  async function listed(set: string, parameters: Readonly<Record<string, string>>, between = async () => {}) {
    const { verb } = parameters;
    const found: string[] = [];
    for (let answer = await oai(set, parameters); ; ) {
      found.push(...identifiers(answer));
      const resumptionToken = tokenOf(answer);
      if (resumptionToken === undefined) return found;
      await between();
      answer = await oai(set, { verb: verb!, resumptionToken });
    }
  }

  it('says what it is, and where the set is by ResourceSync', async () => {
    const answer = await oai('arxiv', { verb: 'Identify' });
    const list = `${started.url}/sets/arxiv/capabilitylist.xml`;
    for (const expected of [
      `<request verb="Identify">${started.url}/oai/arxiv</request>`,
      `<baseURL>${started.url}/oai/arxiv</baseURL>`,
      '<adminEmail>oai@example.org</adminEmail>',
      '<deletedRecord>persistent</deletedRecord>',
      `rel="resourcesync" href="${list}"`,
    ]) {
      assert.ok(answer.includes(expected), expected);
    }
    assert.match((await ask(`${started.url}/sets/arxiv/`)).text, /href="\.\.\/\.\.\/oai\/arxiv\?verb=Identify"/);
    assert.match(/<earliestDatestamp>([^<]*)/.exec(answer)![1]!, SECOND);
    const link = `<rs:ln rel="alternate" href="${started.url}/oai/arxiv"/>`;
    assert.ok((await ask(list)).text.includes(link));
  });

  it('lists every record once, with counts, and deletions (E47)', async () => {
    const first = await oai('arxiv', { verb: 'ListRecords', metadataPrefix: 'oai_dc' });
    assert.match(first, /<resumptionToken completeListSize="2500" cursor="0">/);
    assert.match(first, /<metadata><oai_dc:dc [^>]*><dc:title>Title oai:arxiv:0<\/dc:title>/);
    for (const verb of ['ListRecords', 'ListIdentifiers']) {
      const found = await listed('arxiv', { verb, metadataPrefix: 'oai_dc' });
      assert.equal(found.length, 2_500);
      assert.equal(new Set(found).size, 2_500);
      assert.equal(found.at(-1), 'oai:arxiv:7');
    }
    assert.match(answers.at(-1)!, /<header status="deleted"><identifier>oai:arxiv:7<\/identifier>/);
    assert.match(answers.at(-1)!, /<resumptionToken completeListSize="2500" cursor="2000"><\/resumptionToken>/);
  });

  it('takes arguments as a form, and gives gzip', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Encoding': 'gzip' };
    const {
      status,
      headers: answered,
      bytes,
    } = await ask(`${started.url}/oai/arxiv`, {
      method: 'POST',
      headers,
      body: query({ verb: 'GetRecord', identifier: 'oai:arxiv:3', metadataPrefix: 'oai_dc' }),
    });
    assert.deepEqual([status, answered['content-encoding']], [200, 'gzip']);
    assert.deepEqual(identifiers(gunzipSync(bytes).toString()), ['oai:arxiv:3']);
  });

  it('answers faults with the codes of the protocol', async () => {
    const list = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
    const token = tokenOf(await oai('arxiv', list))!;
    const other = await HarvestedSet.make(started.app, 'other', {});
    await other.post({ a: dcRecord('a', 'A') });
    for (const [set, parameters, ...expected] of [
      ['arxiv', {}, 'badVerb'],
      ['arxiv', { verb: 'Identify', a: '1', b: '2' }, 'badArgument', 'badArgument'],
      ['arxiv', { ...list, from: '2024-01-01', until: '2023-01-01' }, 'badArgument'],
      ['arxiv', { ...list, from: '2024-01-01', until: '2024-01-01T00:00:00Z' }, 'badArgument'],
      ['arxiv', { ...list, until: '1999-01-01' }, 'noRecordsMatch'],
      ['arxiv', { ...list, from: '2999-01-01T00:00:00Z' }, 'noRecordsMatch'],
      ['arxiv', { ...list, metadataPrefix: 'mods' }, 'cannotDisseminateFormat'],
      ['arxiv', { ...list, metadataPrefix: 'a b' }, 'cannotDisseminateFormat'],
      ['arxiv', { verb: 'GetRecord', identifier: 'none', metadataPrefix: 'oai_dc' }, 'idDoesNotExist'],
      ['arxiv', { verb: 'GetRecord', identifier: '', metadataPrefix: 'oai_dc' }, 'idDoesNotExist'],
      ['arxiv', { verb: 'GetRecord', identifier: 'oai:arxiv:3', metadataPrefix: 'mods' }, 'cannotDisseminateFormat'],
      ['arxiv', { verb: 'ListMetadataFormats', identifier: '\u0001%zz' }, 'idDoesNotExist'],
      ['arxiv', { verb: 'ListMetadataFormats', identifier: 'oai:arxiv:7' }, 'noMetadataFormats'],
      ['arxiv', { verb: 'ListRecords', resumptionToken: 'garbage' }, 'badResumptionToken'],
      ['arxiv', { verb: 'ListIdentifiers', resumptionToken: token }, 'badResumptionToken'],
      ['other', { verb: 'ListRecords', resumptionToken: token }, 'badResumptionToken'],
    ] as const) {
      const answer = await oai(set, parameters);
      assert.deepEqual(codes(answer), expected, JSON.stringify(parameters));
    }
    assert.deepEqual(codes(await oai('arxiv', 'verb=Identify&verb=Identify')), ['badVerb']);
  });

  it('keeps sets, and gives provenance and nsdl_dc (E49)', async () => {
    const sets = await oai('arxiv', { verb: 'ListSets' });
    assert.deepEqual(
      [...sets.matchAll(/<setSpec>([^<]*)/g)].map(([, spec]) => spec),
      ['physics', 'physics:hep-th'],
    );
    const identifier = "oai:other:1, a/b 'c'";
    const header = { identifier, datestamp: '2024-01-01', setSpecs: ['math'], deleted: false };
    await arxiv.post({
      [identifier]: dcRecord(identifier, 'Other', { header, about: ['<note xmlns="urn:note">x</note>'] }),
    });
    const list = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
    assert.deepEqual(await listed('arxiv', { ...list, set: 'math' }), ['oai:arxiv:7', identifier]);
    assert.equal((await listed('arxiv', { ...list, set: 'physics' })).length, 2_500);
    const got = await oai('arxiv', { verb: 'GetRecord', identifier, metadataPrefix: 'nsdl_dc' });
    assert.match(got, /<metadata><nsdl_dc:nsdl_dc [^>]*><dc:title>Other<\/dc:title>/);
    assert.match(got, /<about><note xmlns="urn:note">x<\/note><\/about><about><provenance /);
    assert.match(got, /altered="true"><baseURL>https:\/\/export.example.org\/oai2<\/baseURL>/);
    assert.ok(
      got.includes(`<datestamp>2024-01-01</datestamp><metadataNamespace>${OAI_DC.namespace}</metadataNamespace>`),
    );
    const formats = await oai('arxiv', { verb: 'ListMetadataFormats', identifier });
    assert.deepEqual(
      [...formats.matchAll(/<metadataPrefix>([^<]*)/g)].map(([, prefix]) => prefix),
      [OAI_DC.prefix, NSDL_DC.prefix],
    );
  });

  it('leaves out setSpecs, metadata and about that would make an answer invalid', async () => {
    const odd = await HarvestedSet.make(started.app, 'odd', {
      repository: {
        name: 'Odd',
        granularity: 'second',
        deletions: 'persistent',
        earliest: '2005-01-01',
        formats: [OAI_DC],
        sets: [
          { spec: 'Computer Science', name: 'CS' },
          { spec: 'math', name: 'Math' },
        ],
      },
    });
    const header = (identifier: string) => ({
      identifier,
      datestamp: '2024-01-01',
      setSpecs: ['Computer Science', 'ddc:000/510', '', 'math'],
      deleted: false,
    });
    await odd.post({
      a: dcRecord('a', 'A', {
        header: header('a'),
        about: ['<note>x</note>', '<record xmlns="http://www.openarchives.org/OAI/2.0/"/>'],
      }),
      b: dcRecord('b', 'B', { header: header('b'), metadata: '<plain>b</plain>' }),
    });
    const list = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
    const answer = await oai('odd', list);
    assert.deepEqual(identifiers(answer), ['a']);
    assert.deepEqual(
      [...answer.matchAll(/<setSpec>([^<]*)/g)].map(([, spec]) => spec),
      ['math'],
    );
    assert.doesNotMatch(answer, /<note|<about><record/);
    assert.deepEqual(identifiers(await oai('odd', { ...list, set: 'Computer Science' })), ['a']);
    assert.deepEqual(
      [...(await oai('odd', { verb: 'ListSets' })).matchAll(/<setSpec>([^<]*)/g)].map(([, spec]) => spec),
      ['math'],
    );
  });

  it('lists deletions of very long ids, and does not fail for ever when nothing has the id any more', async () => {
    const [kept, lost] = ['k', 'l'].map((letter) => `oai:long:${letter.repeat(3_000)}`) as [string, string];
    const set = await HarvestedSet.make(started.app, 'long');
    await set.post({ a: dcRecord('a', 'A'), [kept]: dcRecord(kept, 'Kept') });
    await set.post({ [lost]: dcRecord(lost, 'Lost') });
    await started.app.artifacts.delete(set.artifact);
    await set.post({ [kept]: undefined, [lost]: undefined });
    assert.deepEqual(await listed('long', { verb: 'ListRecords', metadataPrefix: 'oai_dc' }), ['a', kept]);
    const got = await oai('long', { verb: 'GetRecord', identifier: lost, metadataPrefix: 'oai_dc' });
    assert.match(got, /<header status="deleted"><identifier>oai:long:lll/);
  });

  it('has a response date with all that it has listed, and no later change before it', async () => {
    const set = await HarvestedSet.make(started.app, 'dated');
    for (const id of ['a', 'b']) {
      await set.post({ [id]: dcRecord(id, id) });
      const answer = await oai('dated', { verb: 'ListRecords', metadataPrefix: 'oai_dc' });
      const [responseDate = ''] = [/<responseDate>([^<]*)/.exec(answer)![1]];
      const stamps = [...answer.matchAll(/<datestamp>([^<]*)<\/datestamp><setSpec>/g)].map(([, stamp]) => stamp!);
      assert.equal(responseDate, stamps.at(-1));
    }
  });

  it('lists to the end until the year 9999', async () => {
    const found = await listed('arxiv', { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc', until: '9999-12-31' });
    assert.ok(found.length >= 2_500);
  });

  it('goes on by a token after a restart, and on another server of the store', async () => {
    const { configuration } = started.app;
    const ids = Array.from({ length: 1_001 }, (_, at) => `kept ${at}`);
    const set = await HarvestedSet.make(started.app, 'kept');
    await set.post(Object.fromEntries(ids.map((id) => [id, dcRecord(id, id)])));
    const list = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
    const resumptionToken = tokenOf(await oai('kept', list))!;
    // A process that begins now knows nothing of the first page.
    const { store, artifacts, baseUrl } = configuration;
    const other = await startApp(SQLITE, { store, artifacts, baseUrl });
    for (const { url } of [other, other, started]) {
      const { text } = await ask(`${url}/oai/kept?${query({ verb: list.verb, resumptionToken })}`);
      assert.deepEqual(identifiers(text), [ids.at(-1)]);
      assert.match(text, /<resumptionToken completeListSize="1001" cursor="1000"><\/resumptionToken>/);
    }
  });

  it('goes on by a token after the set was renewed or moved', async () => {
    const { sets } = started.app;
    const set = await HarvestedSet.make(started.app, 'moved');
    await set.post(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`m${at}`, dcRecord(`m${at}`, 'M')])));
    const list = { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' };
    const rest = { verb: list.verb, resumptionToken: tokenOf(await oai('moved', list))! };
    await sets.renew('moved');
    assert.deepEqual(identifiers(await oai('moved', rest)), ['m1000']);
    await sets.move('moved', 'https://records.example.org/moved/');
    assert.deepEqual(identifiers(await oai('moved', rest)), ['m1000']);
  });

  it('misses no record while records change between its pages (E48)', async () => {
    const changed = new Set<string>();
    let round = 0;
    const found = await listed('arxiv', { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' }, async () => {
      round += 1;
      if (round > 5) return;
      const ids = Array.from({ length: 300 }, (_, at) => `oai:arxiv:${(round * 337 + at * 8) % 2_500}`);
      for (const id of ids) changed.add(id);
      await arxiv.post(Object.fromEntries(ids.map((id) => [id, dcRecord(id, `Changed ${round}`)])));
    });
    for (let at = 0; at < 2_500; at++) assert.ok(found.includes(`oai:arxiv:${at}`), `${at} is missing`);
    for (const id of changed) assert.ok(found.lastIndexOf(id) >= 1_000, `${id} has changed, and comes later`);
  });

  it('serves streams of MARC, with identifiers that lead back', async () => {
    const stream = await ProcessedStream.make(started.app);
    const title = { tag: '245', indicators: '00', subfields: [{ code: 'a', value: 'A & B' }] };
    const marc = ['in 1/ü', 'in2'].map((id) =>
      encodeSample({ leader: '00000nam a2200000 a 4500', fields: [{ tag: '001', value: id }, title] }),
    );
    await stream.process(await stream.upload({ 'a.mrc': Buffer.concat(marc) }));
    const found = await listed('lane--main', { verb: 'ListIdentifiers', metadataPrefix: 'marc21' });
    assert.deepEqual(found.toSorted(), ['oai:127.0.0.1:lane--main/in%201%2F%C3%BC', 'oai:127.0.0.1:lane--main/in2']);
    for (const identifier of found) {
      const asMarc = await oai('lane--main', { verb: 'GetRecord', identifier, metadataPrefix: 'marc21' });
      assert.match(asMarc, /<metadata><record xmlns="http:\/\/www.loc.gov\/MARC21\/slim">/);
      const asDc = await oai('lane--main', { verb: 'GetRecord', identifier, metadataPrefix: 'oai_dc' });
      assert.match(asDc, /<dc:title>A &amp; B<\/dc:title>/);
    }
    assert.deepEqual(codes(await oai('lane--main', { verb: 'ListSets' })), ['noSetHierarchy']);
    assert.equal((await ask(`${started.url}/oai/lane--main.uploads?verb=Identify`)).status, 404);
  });

  it('serves artifacts: XML as it is, MAP as oai_dc, and the rest as it can', async () => {
    const { app } = started;
    await app.sets.add({ slug: 'cdl', origin: { kind: 'artifact', provider: 'cdl', activity: 'harvest' } });
    assert.equal((await ask(`${started.url}/oai/cdl?verb=Identify`)).status, 503, 'before its first sync');
    const mods = '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo/></mods>';
    const map = JSON.stringify({ sourceResource: { title: 'A map' } });
    await putArtifact(
      app.artifacts,
      [record('a', `<?xml version="1.0"?>\n${mods}`), record('b', '<broken'), record('c', map, 'application/json')],
      { start: '2024-01-01T00:00:00Z' },
    );
    const set = await app.sets.bySlug('cdl');
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
    await app.sets.markReady('cdl');
    const list = { verb: 'ListRecords', metadataPrefix: 'mods' };
    assert.deepEqual(await listed('cdl', list), ['oai:127.0.0.1:cdl/a']);
    assert.ok(answers.at(-1)!.includes(`<metadata>${mods}</metadata>`));
    assert.equal((await listed('cdl', { ...list, metadataPrefix: 'oai_dc' })).length, 3);
    for (const title of ['a', 'b', 'A map'])
      assert.ok(answers.at(-1)!.includes(`<dc:title>${title}</dc:title>`), title);
  });

  it('gives no list without the records that it cannot read', async () => {
    const gone = await HarvestedSet.make(started.app, 'gone');
    await gone.post({ a: dcRecord('a', 'A') });
    await started.app.artifacts.delete(gone.artifact);
    await gone.post({ b: dcRecord('b', 'B') });
    const { status, headers, text } = await ask(`${started.url}/oai/gone?verb=ListRecords&metadataPrefix=oai_dc`);
    assert.equal(status, 503, text);
    assert.match(headers['retry-after'] ?? '', /^\d+$/);
  });

  it('hides a private set', async () => {
    await started.app.sets.change('cdl', { private: true });
    const url = `${started.url}/oai/cdl?verb=Identify`;
    assert.equal((await ask(url)).status, 404);
    assert.equal((await ask(url, { headers: { Authorization: 'Bearer open-sesame' } })).status, 200);
  });

  it('is one document as a static repository, when it is small', async () => {
    const { status, text } = await ask(`${started.url}/oai/other/static.xml`);
    assert.equal(status, 200);
    assert.match(
      text,
      /<ListRecords metadataPrefix="oai_dc">\n<oai:record><oai:header><oai:identifier>a<\/oai:identifier>/,
    );
    assert.match(text, /<ListRecords metadataPrefix="nsdl_dc">/);
    assert.equal(readDublinCore(text).root, 'Repository', 'it is well-formed');
    const none = await HarvestedSet.make(started.app, 'none', { format: 'other' });
    await none.post({ a: dcRecord('a', 'A', { metadata: '<plain>a</plain>' }) });
    const { text: other } = await ask(`${started.url}/oai/none/static.xml`);
    const prefixes = [...other.matchAll(/<ListRecords metadataPrefix="([^"]*)">/g)].map(([, prefix]) => prefix);
    assert.deepEqual(prefixes, ['oai_dc']);
  });

  it('never fails, whatever its arguments are', async () => {
    const names = fc.constantFrom(
      'verb',
      'metadataPrefix',
      'identifier',
      'set',
      'from',
      'until',
      'resumptionToken',
      'x',
    );
    const values = fc.oneof(
      fc.constantFrom(
        'ListRecords',
        'ListIdentifiers',
        'GetRecord',
        'ListMetadataFormats',
        'oai_dc',
        '2024-01-01',
        'oai:arxiv:1',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, values), { maxLength: 5 }), async (parameters) => {
        const search = parameters
          .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
          .join('&');
        const { status, text } = await ask(`${started.url}/oai/other?${search}`);
        assert.equal(status, 200, search);
        answers.push(text);
      }),
      { numRuns: 100 },
    );
  });

  it('lets a client that asks too often wait, as its protocol has it', async () => {
    const token = new Secret('open-sesame');
    const { app, url } = await startApp(SQLITE, { token, anonymousRequests: 1 });
    await HarvestedSet.make(app, 'arxiv');
    const asked = [await ask(`${url}/oai/arxiv?verb=Identify`), await ask(`${url}/oai/arxiv?verb=Identify`)];
    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 503],
    );
    assert.match(asked[1]!.headers['retry-after'] ?? '', /^[1-9]/);
  });

  it('shows people its answers by a style sheet', async () => {
    const { status, headers, text } = await ask(`${started.url}/oai.xsl`);
    assert.deepEqual([status, headers['content-type']], [200, 'application/xslt+xml; charset=utf-8']);
    assert.ok(answers.every((answer) => answer.includes('<?xml-stylesheet type="text/xsl" href="../oai.xsl"?>')));
    assert.match(text, /<xsl:stylesheet version="1.0"/);
  });

  itWithXmllint('gives only answers that its schema allows', () => {
    const invalid = [...new Set(answers)].map((answer) => [oaiErrors(answer), answer.slice(0, 600)] as const);
    assert.deepEqual(
      invalid.filter(([errors]) => errors.length > 0),
      [],
    );
  });
});
