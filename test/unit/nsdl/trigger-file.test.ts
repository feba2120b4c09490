import assert from 'node:assert/strict';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { parseTrigger, requireTriggerName, triggerName, triggerText } from '../../../src/nsdl/trigger-file.ts';
import { uuidIn, uuidOfText } from '../../../src/nsdl/uuid.ts';

const NAMESPACE = 'http://ns.nsdl.org/MRingest/harvest_v1.00/';
const UUID = '6a92d7e8-0d1f-4ca4-8a6b-1f2e3d4c5b6a';

const VALUES: Readonly<Record<string, string>> = {
  baseURL: '<baseURL>http://example.org/oai</baseURL>',
  collectionNA: '<collectionNA>2200/20061002124958494T</collectionNA>',
  collectionId: '<collectionId>3694837</collectionId>',
  collectionSetSpec: '<collectionSetSpec>ncs-NSDL-COLLECTION-000-003-112-016</collectionSetSpec>',
  runType: '<runType>full_reharvest</runType>',
  providerEmail: '<providerEmail>someone@example.org</providerEmail>',
  requestedChecks: '<requestedChecks/>',
  fromDate: '<fromDate></fromDate>',
  sets: '<sets><set>maps</set><set> old maps </set><set>maps</set><set> </set></sets>',
  formats: '<formats><format>oai_dc</format></formats>',
  firstHarvest: '<firstHarvest>false</firstHarvest>',
  uuid: `<uuid>${UUID}</uuid>`,
  protocol: '<protocol>oai</protocol>',
};

interface Changes {
  readonly [name: string]: string;
}

function trigger(changes: Changes = {}, root = `harvestRequest xmlns="${NAMESPACE}" schemaVersion="1.00.000"`): string {
  const values = Object.values({ ...VALUES, ...changes }).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${values}</${root.split(' ')[0]}>\n`;
}

function problemOf(text: string): string {
  try {
    parseTrigger(text);
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return error.message;
    throw error;
  }
  return 'none';
}

describe('a trigger file', () => {
  it('is read as real ones are written: empty elements, a repeated set, blanks', () => {
    assert.deepEqual(parseTrigger(trigger()), {
      collectionNA: '2200/20061002124958494T',
      runType: 'full_reharvest',
      baseUrl: 'http://example.org/oai',
      format: 'oai_dc',
      sets: ['maps', 'old maps'],
      uuid: UUID,
    });
  });

  it('may have its request in harvestInfo, a prefix, a date, and no uuid, sets and formats', () => {
    const prefixed = trigger({}, `harvestRequest xmlns:h="${NAMESPACE}"`).replaceAll(/<(\/?)(?=[a-zA-Z])/g, '<$1h:');
    const bare = { uuid: '<uuid/>', sets: '', formats: '<formats/>', fromDate: '<fromDate>2008-05-11</fromDate>' };
    const inner = trigger(bare).replace(/^<\?.*\?>/, '');
    assert.equal(parseTrigger(prefixed).collectionNA, '2200/20061002124958494T');
    assert.deepEqual(parseTrigger(`<harvestInfo xmlns="${NAMESPACE}">${inner}</harvestInfo>`), {
      collectionNA: '2200/20061002124958494T',
      runType: 'full_reharvest',
      baseUrl: 'http://example.org/oai',
      sets: [],
      fromDate: '2008-05-11',
    });
  });

  const REFUSED: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
    ['another namespace', trigger({}, 'harvestRequest xmlns="http://ns.nsdl.org/harvest/"'), /of the namespace/],
    ['no namespace', trigger({}, 'harvestRequest'), /of the namespace ""/],
    [
      'another version',
      trigger({}, `harvestRequest xmlns="${NAMESPACE}" schemaVersion="2.0"`),
      /schemaVersion is "2.0"/,
    ],
    ['no collectionNA', trigger({ collectionNA: '<collectionNA> </collectionNA>' }), /no collectionNA/],
    ['an unknown runType', trigger({ runType: '<runType>full</runType>' }), /runType is "full"/],
    ['two formats', trigger({ formats: '<formats><format>a</format><format>b</format></formats>' }), /formats a, b/],
    ['two base URLs', trigger({ more: '<baseURL>http://b.org</baseURL>' }), /more than one baseURL/],
    ['a file', trigger({ baseURL: '<baseURL>file:///etc/passwd</baseURL>' }), /baseURL is "file:/],
    ['a password', trigger({ baseURL: '<baseURL>http://a:b@example.org/</baseURL>' }), /without a password/],
    ['a wrong date', trigger({ fromDate: '<fromDate>2008-02-30</fromDate>' }), /fromDate is "2008-02-30"/],
    ['a path for a uuid', trigger({ uuid: '<uuid>../../x</uuid>' }), /uuid is/],
    ['another protocol', trigger({ protocol: '<protocol>ftp</protocol>' }), /protocol is "ftp"/],
    [
      'a document type',
      trigger().replace('<harvestRequest', '<!DOCTYPE x SYSTEM "file:///etc/passwd"><harvestRequest'),
      /DOCTYPE/,
    ],
    ['half of it', trigger().slice(0, 400), /not well-formed/],
    ['nothing', '', /not well-formed/],
  ];
  for (const [what, text, problem] of REFUSED) {
    it(`is refused with ${what}`, () => assert.match(problemOf(text), problem));
  }

  it('is named by the collection and a time with hyphens', () => {
    const name = triggerName('3694837', Date.UTC(2008, 4, 11, 23, 0, 2));
    assert.equal(name, '3694837_2008-05-11T23-00-02Z_harvest.xml');
    requireTriggerName(name);
    for (const wrong of ['harvest.xml', '3694837_2008-05-11_harvest.xml', '3694837_2008-05-11T23:00:02Z_harvest.xml']) {
      assert.throws(() => requireTriggerName(wrong), /its name is not/);
    }
  });

  it('is read as it was written', () => {
    const written = {
      collectionNA: '2200/1',
      runType: 'harvest',
      baseUrl: 'http://example.org/oai?a=1&b=2',
      format: 'oai_dc',
      sets: ['a & b'],
      uuid: UUID,
    } as const;
    assert.deepEqual(parseTrigger(triggerText({ ...written, collectionId: 'maps' })), written);
  });

  it('gives its uuid when it cannot be read', () => {
    assert.equal(uuidIn(trigger().slice(0, -40)), UUID);
    assert.equal(uuidIn('<uuid>a b</uuid>'), undefined);
    assert.match(uuidOfText('x'), /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  });
});
