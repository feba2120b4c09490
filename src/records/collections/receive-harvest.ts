import { TidemarkError } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { harvestList } from '../arrivals/oai-harvest/harvest-list.ts';
import type { HarvestedList } from '../arrivals/oai-harvest/harvested-list.ts';
import type { OaiClient } from '../arrivals/oai-harvest/oai-client.ts';
import { PageTar } from '../arrivals/oai-harvest/page-tar.ts';
import type { ResumableUploads } from '../arrivals/resumable/resumable-uploads.ts';
import type { UploadedFile } from '../arrivals/upload.ts';
import type { Uploads } from '../arrivals/uploads.ts';
import type { Collection } from './collection.ts';
import { firstLists } from './first-lists.ts';
import { type HarvestRecord, latestHarvests } from './harvest-record.ts';
import { type HarvestRun, harvestText, isAppliedHarvest } from './harvest-run.ts';
import { harvestFields } from './reading-of.ts';

export interface HarvestParts {
  readonly catalog: Pick<Catalog, 'latest'>;
  readonly uploads: Pick<Uploads, 'get' | 'record'>;
  readonly resumableUploads: Pick<ResumableUploads, 'begin' | 'append' | 'truncate' | 'status' | 'receive' | 'remove'>;
  /** The folder of scratch files. */
  readonly folder: string;
}

export interface ReceivingAttempt {
  readonly client: OaiClient;
  readonly signal: AbortSignal;
  /** Called when a page is recorded. */
  onPage(run: HarvestRun): void;
}

/** Runs before one that may have left pages. */
const MOST_EARLIER = 10;

/**
 * Harvests the lists of a run from where they are, and makes an upload of all pages. Returns its number; undefined when
 * nothing is new.
 * @throws TidemarkError `invalid` when a list is not complete; `conflict` when another attempt has begun
 */
export async function receiveHarvest(
  record: HarvestRecord,
  collection: Collection,
  { client, signal, onPage }: ReceivingAttempt,
  parts: HarvestParts,
): Promise<number | undefined> {
  const { catalog, folder, resumableUploads } = parts;
  const { provider, id } = collection;
  makeFolder(folder);
  const { resumable, baseUrl = collection.baseUrl, format = collection.format } = record.run;
  let tar = resumable && (await PageTar.resume(resumableUploads, provider, resumable));
  if (tar === undefined) {
    // Pages that were removed are harvested again.
    const isLost = resumable !== undefined || record.run.lists.length === 0;
    if (isLost) await record.update({ lists: await firstLists(catalog, collection, record.run), resumable: undefined });
    await removeEarlierPages(record.run, collection, parts);
  }
  const owner = { organization: provider, stream: id, fields: harvestFields(collection, record.run) };
  const append: PageTar['append'] = async (file) => {
    tar ??= await PageTar.begin(resumableUploads, { ...owner, name: `${id}-${record.run.number}.tar` });
    return tar.append(file);
  };
  for (const at of record.run.lists.keys()) {
    const source = { baseUrl, format, repository: collection.repository };
    const recordList = async (list: HarvestedList) => {
      const lists = record.run.lists.with(at, list);
      await record.update({ lists, ...(tar !== undefined && { resumable: tar.received }) });
      onPage(record.run);
    };
    await harvestList(source, record.run.lists[at]!, { client, folder, signal, tar: { append }, record: recordList });
  }
  failpoint('harvest.complete');
  if (tar !== undefined) return tar.end(signal);
  if (record.run.kind !== 'full') return undefined;
  throw new TidemarkError('invalid', 'the repository has no records (noRecordsMatch), and nothing was removed');
}

/**
 * Makes an upload of the stored responses of an earlier run, and of those that were applied after it: otherwise, older
 * records would replace newer ones. From a full run on, these are all records.
 * @throws TidemarkError `invalid` when a full run came after it, which has deleted what it did not see
 */
export async function receiveAgain(
  record: HarvestRecord,
  collection: Collection,
  { uploads, catalog }: Pick<HarvestParts, 'uploads' | 'catalog'>,
): Promise<number> {
  const { run } = record;
  const { provider: organization, id: stream } = collection;
  const later = await latestHarvests(catalog, stream, run.number - run.of!, run.number);
  const counted = later.filter((one) => one.number === run.of || isAppliedHarvest(one)).toReversed();
  const full = counted.findLast(({ kind, number }) => kind === 'full' && number !== run.of);
  if (full !== undefined) throw new TidemarkError('invalid', refusal(run, full));
  const files: UploadedFile[] = [];
  for (const { upload } of counted) {
    if (upload !== undefined) files.push(...(await uploads.get(organization, stream, upload)).files);
  }
  const token = `harvest ${harvestText(run)}`;
  const isWhole = counted[0]?.kind === 'full';
  const fields = { ...harvestFields(collection, run), ...(isWhole && { unmentioned: 'deleted' as const }) };
  return (await uploads.record({ organization, stream, files, token, ...fields })).number;
}

function refusal({ collection, of }: HarvestRun, full: HarvestRun): string {
  const { number } = full;
  return `the run ${number} after it was a full one, and has deleted what it did not see: run "tidemark harvest ${collection} --again ${number}" in place of ${of}`;
}

/** The pages of a run that has failed are kept until the next one begins. */
async function removeEarlierPages(
  { number }: HarvestRun,
  { id, provider }: Collection,
  { catalog, resumableUploads }: HarvestParts,
): Promise<void> {
  for (const { state, resumable } of await latestHarvests(catalog, id, MOST_EARLIER, number)) {
    if (state !== 'ended' || resumable === undefined) continue;
    // They may have been removed already.
    await resumableUploads.remove(provider, resumable.id).catch(() => {});
  }
}
