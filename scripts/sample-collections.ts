// A collection that is harvested each night of three weeks, to show its pages. Always the same, but for the time.
import type { App } from '../src/app.ts';
import type { HarvestRequest } from '../src/records/collections/harvest-run.ts';
import { type OaiRecord, OaiServer, oaiDc } from '../test/support/oai-server.ts';

const DAY = 86_400_000;
const COLLECTION = 'preprints';
const NIGHTS = 20;
const RECORDS = 1_840;
/** The number of the harvest that has errors. */
export const HARVEST_WITH_ERRORS = NIGHTS + 2;

export async function fillSampleCollections(app: App, now: number): Promise<void> {
  let time = now - NIGHTS * DAY;
  const repository = await OaiServer.start({
    name: 'Preprints of Example University',
    granularity: 'day',
    now: () => time,
  });
  const trueNow = Date.now;
  const at = async (wanted: number, records: readonly OaiRecord[], request: HarvestRequest) => {
    time = wanted;
    repository.change({ records });
    Date.now = () => time;
    const attempt = { signal: new AbortController().signal, report() {}, log() {} };
    await app.records.harvestRunner
      .runHere(COLLECTION, request, attempt, { by: 'schedule' })
      .finally(() => (Date.now = trueNow));
  };
  try {
    await app.records.collections.add(COLLECTION, {
      baseUrl: repository.url,
      format: 'oai_dc',
      title: 'Preprints of Example University',
      schedule: '15 2 * * *',
      fullSchedule: '0 3 * * 0',
    });
    let records = Array.from({ length: RECORDS }, (_, id) => preprint(id, time - DAY));
    await at(time, records, { kind: 'full' });
    for (let night = NIGHTS; night > 0; night--) {
      const then = now - night * DAY + 1;
      records = changed(records, NIGHTS - night, then);
      await at(then, records, { kind: 'incremental' });
    }
    const [first, second, ...others] = records.filter(({ deleted }) => deleted === undefined).slice(7);
    const wrong = [
      { ...first!, datestamp: '12 November 2026' },
      { ...second!, datestamp: '' },
    ];
    await at(now, [...wrong, ...others], { kind: 'full' });
    await app.sets.markReady(COLLECTION);
    await app.sets.markReady(`${COLLECTION}.harvests`);
  } finally {
    await repository.close();
  }
}

/** Some new, some changed, and one deleted. */
function changed(records: readonly OaiRecord[], night: number, then: number): OaiRecord[] {
  const day = new Date(then).toISOString().slice(0, 10);
  const added = Array.from({ length: 9 + ((night * 7) % 23) }, (_, at) => preprint(records.length + at, then));
  return [
    ...records.map((record, at) => {
      if (at === night * 31) return { identifier: record.identifier, datestamp: day, deleted: true as const };
      return at % 97 === night
        ? { ...preprint(at, then), metadata: oaiDc(['title', `Preprint ${at}, revised`]) }
        : record;
    }),
    ...added,
  ];
}

function preprint(number: number, time: number): OaiRecord {
  return {
    identifier: `oai:preprints.example.org:${String(number + 1).padStart(6, '0')}`,
    datestamp: new Date(time).toISOString().slice(0, 10),
    metadata: oaiDc(['title', `Preprint ${number}`], ['creator', 'Marsh, Ada']),
  };
}
