import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Secret } from '../../src/config/secret.ts';
import { ask } from '../support/ask.ts';
import { Consortium, type Notes } from '../support/consortium.ts';
import { SQLITE } from '../support/each-store.ts';
import { tokenOf } from '../support/oai-answers.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

/** It would be at the same place in the order of ids, and its names are as long. */
const ABSENT = 'search';
const SEALED = 'sealed';
const LIST = 'verb=ListIdentifiers&metadataPrefix=marc21';
const MARC = 'metadataPrefix=marc21';

/** Of all organizations: the private one changes nothing in them. */
const OF_ALL = [
  ...['Identify', 'ListSets', 'ListMetadataFormats'].map((verb) => `/oai?verb=${verb}`),
  ...['', '&from=2020-01-01', '&until=2999-01-01'].map((range) => `/oai?${LIST}${range}`),
  `/oai?verb=ListRecords&${MARC}`,
  `/oai?verb=ListRecords&metadataPrefix=oai_dc&set=lane`,
  '/organizations.json',
  '/organizations/resourcelist',
  '/organizations/normalized_resourcelist/marcxml',
  '/.well-known/resourcesync',
];

/** Of one organization: they are as if it did not exist. */
const OF_ONE = [
  ...['', '--main'].flatMap((stream) => [
    `/oai?${LIST}&set=ORG${stream}`,
    `/oai?verb=ListRecords&${MARC}&set=ORG${stream}`,
    `/oai?verb=GetRecord&${MARC}&identifier=oai:127.0.0.1:ORG${stream}/r1`,
    `/oai?verb=ListMetadataFormats&identifier=oai:127.0.0.1:ORG${stream}/r1`,
    `/oai/ORG${stream}?${LIST}`,
  ]),
  ...['marcxml', 'marc21', 'oai'].flatMap((form) =>
    ['', 'resourcelist.xml', 'changelist.xml', 'capabilitylist.xml', 'resources/000000001/ORG-full.gz'].map(
      (path) => `/sets/ORG.dumps.${form}/${path}`,
    ),
  ),
  '/api/sets/ORG.dumps.marcxml',
  '/organizations/ORG/uploads.json',
  '/organizations/ORG/uploads.json?page=2',
  '/organizations/ORG/normalized_resourcelist/marcxml',
];

describe('A private organization at the addresses of the POD aggregator', () => {
  let started: StartedApp;
  let consortium: Consortium;
  /** Those who may not read it. */
  let senders: Readonly<Record<string, Record<string, string>>>;

  before(async () => {
    started = await startApp(SQLITE, { token: new Secret('open-sesame') });
    consortium = new Consortium(started.app, started.folder);
    for (const id of ['lane', 'zurich']) {
      await consortium.add(id);
      await consortium.put(id, numbered(600));
    }
    const { tokens } = started.app.access;
    const bearing = async (...scopes: Parameters<typeof tokens.create>[0]['scopes']) => {
      const { token } = await tokens.create({ name: scopes.join(' '), scopes });
      return { Authorization: `Bearer ${token}` };
    };
    senders = {
      anonymous: {},
      reader: await bearing('download:zurich'),
      uploader: await bearing('upload:lane'),
      poster: await bearing('post:*'),
    };
  });
  after(closeApps);

  it('changes no answer about all, and answers as one that does not exist (130)', async () => {
    const questions = [...OF_ALL, ...(await Promise.all(OF_ALL.map(nextPage))).flat()];
    const before = await answersOf(questions);
    await consortium.add(SEALED, { isPrivate: true });
    await consortium.put(SEALED, numbered(1_200));
    await consortium.put(SEALED, { r1: undefined, r2: 'changed' });
    await consortium.dump(SEALED, 'full');
    assert.deepEqual(await answersOf(questions), before);
    const administrator = { Authorization: 'Bearer open-sesame' };
    for (const question of OF_ONE) {
      const path = question.replaceAll('ORG', SEALED);
      const shown = await ask(started.url + path, { headers: administrator });
      const isServed = shown.status === 200 && !/<error code="noRecordsMatch"/.test(shown.text);
      assert.ok(
        isServed || /\.oai\/|full\.gz/.test(path),
        `${path} is served to those who may read it: ${shown.status}`,
      );
    }
    for (const question of [...OF_ONE, ...(await tokensOf(administrator))]) {
      const asOf = (id: string) => answersOf([question.replaceAll('ORG', id)], (text) => text.replaceAll(id, 'ORG'));
      assert.deepEqual(await asOf(SEALED), await asOf(ABSENT), question);
    }
  });

  /** Requests with tokens whose place is in the private organization, and with those of its own list. */
  async function tokensOf(headers: Record<string, string>): Promise<readonly string[]> {
    const questions: string[] = [];
    for (const query of [LIST, `${LIST}&set=${SEALED}`, `verb=ListRecords&${MARC}&set=${SEALED}`]) {
      const verb = /verb=(\w+)/.exec(query)![1]!;
      for (let token = tokenOf((await ask(`${started.url}/oai?${query}`, { headers })).text); token !== undefined; ) {
        questions.push(`/oai?verb=${verb}&resumptionToken=TOKEN${Buffer.from(token, 'base64url')}`);
        token = tokenOf((await ask(`${started.url}/oai?verb=${verb}&resumptionToken=${token}`, { headers })).text);
      }
    }
    assert.ok(questions.some((question) => question.includes(`"${SEALED}"`)));
    return questions.map((question) => question.replaceAll(`"${SEALED}"`, '"ORG"'));
  }

  async function nextPage(path: string): Promise<readonly string[]> {
    const verb = /verb=(\w+)/.exec(path)?.[1];
    const token = tokenOf((await ask(started.url + path)).text);
    return token === undefined ? [] : [`/oai?verb=${verb}&resumptionToken=${token}`];
  }

  /** Status, headers and bodies by sender, without times. */
  async function answersOf(paths: readonly string[], renamed = (text: string) => text) {
    const answers: Record<string, unknown> = {};
    for (const path of paths) {
      const url = path.replace(/TOKEN(.*)$/s, (_, parts) => Buffer.from(parts).toString('base64url'));
      for (const [sender, own] of Object.entries(senders)) {
        const { status, headers, text } = await ask(started.url + url, { headers: own });
        const { date: _, 'x-request-id': _id, etag: _etag, 'last-modified': _modified, ...others } = headers;
        answers[renamed(`${path} by ${sender}`)] = [
          status,
          renamed(JSON.stringify(others)),
          digestOf(renamed(timeless(text))),
        ];
      }
    }
    return answers;
  }
});

/** Short, for messages. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Without the time of the answer, also in tokens. */
function timeless(text: string): string {
  return text
    .replace(/<responseDate>[^<]*/, '<responseDate>')
    .replace(/<rs:md capability="resourcelist" at="[^"]*"/, '')
    .replace(/"requestId":"[^"]*"/, '')
    .replace(/(<resumptionToken[^>]*>|resumptionToken=")([A-Za-z0-9_-]+)/g, (_, before, token) => {
      const parts = JSON.parse(Buffer.from(token, 'base64url').toString());
      return before + JSON.stringify(parts.with(-1, 0));
    });
}

function numbered(count: number): Notes {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, `Record ${at}`]));
}
