import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import {
  itWithOaiPrograms,
  OAI_CLIENTS,
  type OaiClient,
  OaiProgram,
  type ReadRecord,
  readDocuments,
  readLists,
  readOneList,
  type SourceRecord,
} from '../support/oai-programs.ts';
import { Workplace } from '../support/workplace.ts';

const PREFIX = 'oai_dc';
/** What a large list has at least: several pages on both sides. */
const RECORDS = 2_000;
const DELETED = 50;
/** Our pages have 1,000. */
const TWO_PAGES = 1_200;

describe('OAI-PMH between programs that others wrote', () => {
  let place: Workplace;
  let source: OaiProgram | undefined;
  let url: string;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    const port = String(await findFreePort());
    url = `http://127.0.0.1:${port}`;
    await place
      .start(['serve', '--port', port, '--base-url', url, '--no-jobs', '--log-level', 'silent'])
      .says(/Serving/);
  });
  afterEach(async () => {
    await source?.stop();
    source = undefined;
    await place.close();
  });

  itWithOaiPrograms('pyoai is harvested, and then what has changed, with its deletions', async () => {
    const records = sourceRecords(RECORDS);
    source = await OaiProgram.start('pyoai', place.folder + writeSource(records));
    const theirs = await readOneList('sickle', { url: source.url, prefix: PREFIX });
    assert.equal(theirs.length, records.length);
    const { known } = await harvestTwice(records, 'incremental');
    const tombstones = (await readOneList('sickle', { url: `${url}/oai/arxiv`, prefix: PREFIX })).filter(isDeleted);
    // Those that were deleted before the first harvest were never known here.
    assert.deepEqual(
      idsOf(tombstones),
      idsOf(known.filter(isDeleted)).filter((id) => !isIn(id, theirs.filter(isDeleted))),
    );
  });

  itWithOaiPrograms('oai-repo, which has no deletions, is harvested whole each time', async () => {
    const records = sourceRecords(RECORDS / 4);
    source = await OaiProgram.start('oai-repo', place.folder + writeSource(records));
    await harvestTwice(records, 'full');
  });

  /** Harvests the source before and after changes. Returns what a client reads there at last. */
  async function harvestTwice(records: readonly SourceRecord[], kind: 'incremental' | 'full') {
    const from = { url: source!.url, prefix: PREFIX };
    await add('arxiv', from.url);
    const before = living(await readOneList('sickle', from));
    const first = await harvest('arxiv');
    assert.deepEqual([first.status, first.outcome.created], [2, before.length]);
    same(before, await stored('arxiv'));
    same(before, living(await readOneList('HTTP::OAI', { url: `${url}/oai/arxiv`, prefix: PREFIX })));

    writeSource(changed(records));
    const { status, outcome } = await harvest('arxiv', ...(kind === 'full' ? ['--full'] : []));
    assert.deepEqual([status, outcome.created, outcome.updated, outcome.deleted], [2, 10, 20, 30]);
    const known = await readOneList('scythe', from);
    same(living(known), await stored('arxiv'));
    return { known };
  }

  itWithOaiPrograms('others read us: whole, by day, by second, and by set', async () => {
    const records = sourceRecords(TWO_PAGES);
    source = await OaiProgram.start('pyoai', place.folder + writeSource(records));
    await add('arxiv', source.url);
    await harvest('arxiv');
    // The second harvest is applied in a later second than the first one.
    const between = await nextSecond();
    writeSource(changed(records));
    await harvest('arxiv');
    const all = await stored('arxiv');
    const day = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const from = { url: `${url}/oai/arxiv`, prefix: PREFIX };
    for (const client of OAI_CLIENTS) {
      const lists = await readLists(client, [
        from,
        { ...from, from: '2001-01-01', until: day },
        { ...from, from: tomorrow },
        { ...from, from: between },
        { ...from, until: secondBefore(between) },
        { ...from, set: 'physics' },
        { ...from, set: 'physics:optics' },
      ]);
      const [whole, days, none, newer, older, physics, optics] = lists as readonly (readonly ReadRecord[])[];
      checkOnce(client, whole!);
      same(living(whole!), all, client);
      same(living(days!), all, `${client} by day`);
      assert.deepEqual(none, [], client);
      assert.deepEqual([newer!.length, newer!.filter(isDeleted).length], [60, 30], client);
      same([...living(older!), ...living(newer!)], all, `${client} by second`);
      const within = (spec: string) => all.filter(({ sets }) => sets.some((one) => `${one}:`.startsWith(`${spec}:`)));
      assert.ok(within('physics:optics').length > 100);
      same(living(physics!), within('physics'), `${client} by set`);
      same(living(optics!), within('physics:optics'), `${client} by set`);
    }
  });

  itWithOaiPrograms('we harvest ourselves, twice in a chain, and the provenance is nested', async () => {
    source = await OaiProgram.start('oai-repo', place.folder + writeSource(sourceRecords(RECORDS / 4)));
    const names = ['first', 'second', 'third'];
    for (const [at, name] of names.entries()) {
      await add(name, at === 0 ? source.url : `${url}/oai/${names[at - 1]}`);
      await harvest(name);
    }
    const sets = await Promise.all(names.map(stored));
    for (const copy of sets.slice(1)) same(copy, sets[0]!);
    const id = encodeURIComponent(sets[0]![0]!.id);
    const { text } = await ask(`${url}/oai/third?verb=GetRecord&metadataPrefix=${PREFIX}&identifier=${id}`);
    const origins = [...text.matchAll(/<(?:\w+:)?baseURL>([^<]*)</g)].map(([, origin]) => origin);
    assert.deepEqual(origins, [`${url}/oai/second`, `${url}/oai/first`, source.url], text);
    const tags = [...text.matchAll(/<(\/?)(?:\w+:)?originDescription\b/g)].map(([, slash]) => slash);
    assert.deepEqual(tags, ['', '', '', '/', '/', '/']);
  });

  async function add(id: string, baseUrl: string): Promise<void> {
    await json('collections', 'add', id, '--provider', 'cornell', '--base-url', baseUrl, '--format', PREFIX);
  }

  async function harvest(id: string, ...options: readonly string[]) {
    return json('harvest', id, ...options);
  }

  async function json(...args: readonly string[]) {
    const env = { TIDEMARK_HARVEST_NETWORKS: '127.0.0.1' };
    const { exitCode, stdout, stderr } = await place.run([...args, '--json'], { env });
    assert.equal(exitCode, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  /** The records of a set, from its bytes as it publishes them. */
  async function stored(set: string): Promise<readonly ReadRecord[]> {
    const list = (await ask(`${url}/sets/${set}/resourcelist.xml`)).text;
    const locations = [...list.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, location]) => unescaped(location!));
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const answers = await Promise.all(locations.map((location) => ask(location, { agent })));
    agent.destroy();
    const documents = answers.map(({ text }) => text);
    const file = join(place.folder, `${set}.ndjson`);
    writeFileSync(file, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
    return readDocuments(file);
  }

  /** Returns its name, after a slash. */
  function writeSource(records: readonly SourceRecord[]): string {
    writeFileSync(join(place.folder, 'source.ndjson'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return '/source.ndjson';
  }
});

const isDeleted = ({ deleted }: ReadRecord): boolean => deleted;
const living = (records: readonly ReadRecord[]) => records.filter((record) => !record.deleted);
const isIn = (id: string, records: readonly ReadRecord[]) => records.some((record) => record.id === id);
const except = (records: readonly ReadRecord[], others: readonly ReadRecord[]) => {
  const ids = new Set(idsOf(others));
  return idsOf(records).filter((id) => !ids.has(id));
};
const idsOf = (records: readonly ReadRecord[]) => records.map(({ id }) => id).sort();

/** The same records, with the same bytes of metadata and the same sets. */
function same(actual: readonly ReadRecord[], expected: readonly ReadRecord[], what = 'the records'): void {
  const [missing, others] = [except(expected, actual), except(actual, expected)];
  assert.deepEqual(
    [missing.length, others.length],
    [0, 0],
    `${what}: ${missing[0]} is missing, or ${others[0]} is not`,
  );
  const known = new Map(expected.map((record) => [record.id, record]));
  for (const { id, digest, content, sets } of actual) {
    const other = known.get(id)!;
    assert.deepEqual([id, content, sets], [id, other.content, other.sets]);
    if (digest !== null && other.digest !== null) assert.equal(digest, other.digest, id);
  }
}

function checkOnce(client: OaiClient, records: readonly ReadRecord[]): void {
  assert.equal(new Set(records.map(({ id }) => id)).size, records.length, `${client} reads a record twice`);
}

/** Records with what makes records difficult; so many of them are deleted. */
function sourceRecords(count: number): readonly SourceRecord[] {
  const every = RECORDS / DELETED;
  return Array.from({ length: count }, (_, number) => ({
    id: identifierOf(number),
    datestamp: new Date(Date.UTC(2020, 0, 1) + number * 3_600_000).toISOString().replace('.000', ''),
    sets: [['physics'], ['physics:optics'], ['math', 'physics']][number % 3]!,
    deleted: number % every === every - 1,
    dc: {
      title: [`Record ${number} & <co>`, number % 2 === 0 ? 'Ženský časopis' : '  𝄞 two  blanks '],
      identifier: [`https://data.example.org/${number}?a=1&b='2'`],
      description: ['x'.repeat(number % 700), ']]> "quoted"'],
      date: [String(1900 + (number % 120))],
    },
  }));
}

function identifierOf(number: number): string {
  const odd = ['a/b', "it's", 'c,d', 'e;f=g', '%20', 'h(i)', '~j_k'][number % 7]!;
  return `oai:source.example.org:${odd}/${number}${number === 5 ? 'y'.repeat(1_000) : ''}`;
}

/** Of those that are not deleted, 20 are changed and 30 deleted; 10 are new. All that with the time of now. */
function changed(records: readonly SourceRecord[]): readonly SourceRecord[] {
  const datestamp = new Date().toISOString().replace(/\.\d+/, '');
  const alive = records.filter(({ deleted }) => !deleted).map(({ id }) => id);
  const [updated, deleted] = [new Set(alive.slice(0, 20)), new Set(alive.slice(20, 50))];
  const old = records.map((record) => {
    if (updated.has(record.id)) return { ...record, datestamp, dc: { ...record.dc, title: ['Changed'] } };
    return deleted.has(record.id) ? { ...record, datestamp, deleted: true } : record;
  });
  const added = Array.from({ length: 10 }, (_, at) => ({
    ...records[0]!,
    datestamp,
    id: `oai:source.example.org:new/${at}`,
  }));
  return [...old, ...added];
}

/** Waits until the next second has begun, and returns it. */
async function nextSecond(): Promise<string> {
  const now = Date.now();
  const next = Math.ceil((now + 1) / 1000) * 1000;
  await new Promise((resolve) => setTimeout(resolve, next - now + 5));
  return new Date(next).toISOString().replace('.000', '');
}

function secondBefore(second: string): string {
  return new Date(Date.parse(second) - 1000).toISOString().replace('.000', '');
}

function unescaped(text: string): string {
  return text.replaceAll('&apos;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
