// An organization that has uploaded its records each night of a week, to show its pages. Always the same, but for the
// time.
import { gzipSync } from 'node:zlib';
import type { App } from '../src/app.ts';
import { putUploadState } from '../src/records/arrivals/upload-state.ts';
import { setOfStream, setsOfStream } from '../src/records/stream-set-names.ts';
import { sync } from '../src/sources/sync/sync.ts';
import { Catalogue, entriesFrom } from '../test/support/marc-catalogue.ts';
import { zip } from '../test/support/upload-packages.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LANE = 'lane';
const STREAM = 'full-2026';
/** Records of the first upload; it has them all. */
const RECORDS = 8_240;
/** Nights before today. */
const NIGHTS = 6;
/** Numbers of uploads that pages show. */
export const SHOWN = { withErrata: NIGHTS + 1 };

const catalogue = new Catalogue({ seed: 26, bytes: 900, prefix: 'ocm' });

export async function fillSampleOrganizations(app: App, now: number): Promise<void> {
  // What a library delivers at night is received then.
  const night = (before: number) => now - (now % DAY) - before * DAY + 2.2 * HOUR - (now % DAY < 4 * HOUR ? DAY : 0);
  const trueNow = Date.now;
  const at = async (time: number, work: () => Promise<unknown>) => {
    Date.now = () => time;
    await work().finally(() => {
      Date.now = trueNow;
    });
  };
  await at(night(330), () => addOrganization(app));
  await at(night(NIGHTS + 9), () => addStream(app));
  await at(night(NIGHTS + 8), () => firstUpload(app));
  await at(night(NIGHTS + 8) + 2 * HOUR, () => app.records.streamDumps.build({ organization: LANE }, 'full'));
  for (let before = NIGHTS; before > 0; before--) {
    await at(night(before), () => nightly(app, NIGHTS - before + 1, night(before)));
    await at(night(before) + 2 * HOUR, () => app.records.streamDumps.build({ organization: LANE }, 'delta'));
  }
  await at(night(0), () => failedUpload(app));
  for (const stream of [undefined, STREAM]) await follow(app, stream);
}

async function addOrganization(app: App): Promise<void> {
  const { organizations } = app.records;
  await organizations.add(LANE, {
    title: 'Lane Library',
    contacts: [{ name: 'Ada Marsh', email: 'ada@lane.example.org' }, { name: 'Metadata department' }],
    normalization: {
      kind: 'pod',
      code: 'LaneL',
      items: [{ source: '952', destination: '998', subfields: { i: 'p' } }],
    },
  });
  await organizations.addStream(LANE, 'main', 'Records of 2025');
  await upload(app, 'All records', { 'lane.mrc': recordsTo(7_904) }, 'main');
}

async function addStream({ records: { organizations } }: App): Promise<void> {
  await organizations.addStream(LANE, STREAM, 'All records of 2026');
  await organizations.changeStream(LANE, STREAM, { default: true });
  await organizations.changeStream(LANE, 'main', { archived: true });
  await organizations.change(LANE, { dumps: { full: '0 3 1 * *', delta: '0 5 * * *' } });
}

async function firstUpload(app: App): Promise<void> {
  await upload(app, 'All records', { 'lane-all.mrc.gz': gzipSync(recordsTo(RECORDS), { level: 1 }) });
}

function recordsTo(end: number): Buffer {
  return Buffer.concat([...entriesFrom(0, end)].map((entry) => catalogue.marc21(entry)));
}

/** Some changed and new records, some deletions; two nights have records that cannot be read. */
async function nightly(app: App, number: number, time: number): Promise<void> {
  const date = new Date(time).toISOString().slice(0, 10);
  const first = number * 1_000;
  const changed = Array.from({ length: 180 + 37 * number }, (_, at) =>
    catalogue.marc21({ number: first + 3 * at, version: number }),
  );
  const added = [...entriesFrom(RECORDS + 60 * number, RECORDS + 60 * number + 41 + number)].map((entry) =>
    catalogue.marc21(entry),
  );
  const records = [...changed, ...added];
  if (number === 3) records[77] = withoutText(records[77]!);
  if (number === NIGHTS)
    for (const at of [12, 130, 301]) records[at] = at === 130 ? torn(records[at]!) : withoutText(records[at]!);
  const deleted = Array.from({ length: 3 + 2 * number }, (_, at) => catalogue.idOf(first + 3 * at + 1)).join('\n');
  const files: Record<string, Buffer | string> = {
    'changes.mrc': Buffer.concat(records),
    'deleted.txt': `${deleted}\n`,
  };
  if (number === NIGHTS) {
    files['e-journals.zip'] = zip({
      'e-journals.xml': `<collection xmlns="http://www.loc.gov/MARC21/slim">${[...entriesFrom(9_000, 9_120)]
        .map((entry) => catalogue.marcxml(entry))
        .join('')}</collection>`,
      'README.pdf': '%PDF-1.7',
    });
  }
  await upload(app, `Changes of ${date}`, files);
}

async function failedUpload(app: App): Promise<void> {
  const url = 'https://catalog.lane.example.org/export/today.mrc';
  const recorded = await (await app.records.uploads.begin(LANE)).finish({ stream: STREAM, url });
  const error = `${url} was not fetched: the server answered 404`;
  await putUploadState(app.catalog, recorded, {
    body: { failure: { at: Date.now(), error, isFinal: true } },
    before: undefined,
  });
}

async function upload(
  app: App,
  name: string,
  files: Readonly<Record<string, Buffer | string>>,
  stream = STREAM,
): Promise<void> {
  const receiving = await app.records.uploads.begin(LANE, stream);
  for (const [file, bytes] of Object.entries(files)) await receiving.add(file, [Buffer.from(bytes)]);
  const recorded = await receiving.finish({ stream, name });
  const { signal } = new AbortController();
  await app.records.uploadProcessor.process(recorded, { signal, isLast: true, report() {}, log() {} });
}

/** As the loop of a server does it. */
async function follow({ sets, sources: { sourceOf }, updater }: App, stream: string | undefined): Promise<void> {
  for (const what of setsOfStream({})) {
    const slug = setOfStream({ organization: LANE, ...(stream !== undefined && { stream }) }, what);
    const set = await sets.bySlug(slug);
    await sync({ set, source: sourceOf(set), updater });
    await sets.markReady(slug);
  }
}

/** A byte that UTF-8 cannot have, as programs leave it that cut a text. */
function withoutText(record: Buffer): Buffer {
  const copy = Buffer.from(record);
  copy[copy.length - 12] = 0xc3;
  return copy;
}

/** A directory with a letter in the place of a digit. */
function torn(record: Buffer): Buffer {
  const copy = Buffer.from(record);
  copy.write('O', 24 + 5);
  return copy;
}
