import { setImmediate } from 'node:timers/promises';
import { recordIdOfKey } from '../../core/record-key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { escapeXml } from '../../lib/escape-xml.ts';
import { OAI_DC } from '../../records/metadata-format.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { datestampOf } from '../datestamps.ts';
import type { ListedRecord, Profile, StoredRecord } from '../profiles/profile.ts';
import { type RecordSource, readRecords, readUnlessGone } from '../profiles/read-records.ts';
import { SET_SPEC } from '../protocol.ts';

export interface WrittenSet {
  readonly id: SetId;
  readonly profile: Profile;
  readonly records: RecordSource;
  readonly index: Pick<SetStatistics, 'history'>;
}

interface WrittenAs {
  readonly metadataPrefix: string;
  /** Only records of this set of the source, and deletions, whose sets are not known any more. */
  readonly spec?: string | undefined;
  /** Whether only headers are written; or records of a static repository, without sets, and with days as datestamps. */
  readonly style?: 'record' | 'header' | 'static';
  /** The id of the only record, where it is known. */
  readonly id?: string | undefined;
}

/** Records between which the thread does its other work: converting them takes some milliseconds. */
const WRITTEN_AT_ONCE = 100;
/** Number of changes of a record in which its id is searched. */
const MOST_EARLIER = 100;

/** Writes records of a set as elements `record`, or `header`. */
export class RecordWriter {
  readonly #set: WrittenSet;
  readonly #as: WrittenAs;

  constructor(set: WrittenSet, as: WrittenAs) {
    this.#set = set;
    this.#as = as;
  }

  /**
   * Returns an element for each record; undefined for one that does not have the format, or is not in the set, and for
   * a deletion whose id is not known any more.
   * @throws TidemarkError `unavailable` when one of them cannot be read
   */
  async write(records: readonly ListedRecord[]): Promise<readonly (string | undefined)[]> {
    const { profile, records: source } = this.#set;
    const { metadataPrefix, style } = this.#as;
    const needsNoRecord = style === 'header' && !profile.isHarvested && metadataPrefix === OAI_DC.prefix;
    const stored = needsNoRecord ? [] : await readRecords(records, source);
    const written: (string | undefined)[] = [];
    for (const [at, record] of records.entries()) {
      if (at % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) await setImmediate();
      const found = stored[at];
      if (found !== undefined) written.push(await this.#writeRecord(record, found));
      else if (record.state === undefined) written.push(await this.#writeDeletion(record));
      else written.push(headerOf(record, profile.identifierOf(record.key, ''), profile.memberOf));
    }
    return written;
  }

  async #writeRecord(record: ListedRecord, stored: StoredRecord): Promise<string | undefined> {
    const { profile } = this.#set;
    const { metadataPrefix, spec, style } = this.#as;
    const served = await profile.read(stored);
    if (spec !== undefined && !served.setSpecs.some((one) => isIn(one, spec))) return undefined;
    const metadata = served.metadata(metadataPrefix);
    if (metadata === undefined) return undefined;
    const identifier = profile.identifierOf(record.key, stored.id);
    if (style === 'static') return staticRecord(record, identifier, metadata);
    const header = headerOf(record, identifier, served.setSpecs);
    if (style === 'header') return header;
    let abouts = '';
    for (const about of served.abouts(metadataPrefix)) abouts += `<about>${about}</about>`;
    return `<record>${header}<metadata>${metadata}</metadata>${abouts}</record>\n`;
  }

  async #writeDeletion(record: ListedRecord): Promise<string | undefined> {
    const { profile } = this.#set;
    const id = profile.isHarvested ? (this.#as.id ?? (await this.#idOfDeleted(record))) : '';
    if (id === undefined) return undefined;
    const header = headerOf(record, profile.identifierOf(record.key, id), profile.memberOf);
    return this.#as.style === 'header' ? header : `<record>${header}</record>\n`;
  }

  /**
   * The key of a very long id contains only its digest: then it is in an earlier record with this key. Undefined when
   * the artifacts of these do not exist any more: nothing can restore it, and the list must not fail for ever.
   */
  async #idOfDeleted({ key, stamp }: ListedRecord): Promise<string | undefined> {
    const found = recordIdOfKey(key);
    if (found !== undefined) return found;
    const { id, index, records } = this.#set;
    for (const { state } of await index.history(id, key, { before: stamp - 1, limit: MOST_EARLIER })) {
      const record = state && (await readUnlessGone(state, records));
      if (record !== undefined) return record.id;
    }
    return undefined;
  }
}

/** A setSpec of the source that OAI-PMH does not allow is left out, as it would make the whole answer invalid. */
function headerOf({ stamp, state }: ListedRecord, identifier: string, specs: readonly string[] = []): string {
  const status = state === undefined ? ' status="deleted"' : '';
  let sets = '';
  for (const spec of specs) if (SET_SPEC.test(spec)) sets += `<setSpec>${escapeXml(spec)}</setSpec>`;
  return `<header${status}><identifier>${escapeXml(identifier)}</identifier><datestamp>${datestampOf(stamp)}</datestamp>${sets}</header>`;
}

function staticRecord({ stamp }: ListedRecord, identifier: string, metadata: string): string {
  const datestamp = datestampOf(stamp).slice(0, 10);
  const header = `<oai:header><oai:identifier>${escapeXml(identifier)}</oai:identifier><oai:datestamp>${datestamp}</oai:datestamp></oai:header>`;
  return `<oai:record>${header}<oai:metadata>${metadata}</oai:metadata></oai:record>\n`;
}

/** Whether a record of a set is in another one: in itself, and in all that it is part of (OAI-PMH 2.0, 2.6). */
function isIn(spec: string, asked: string): boolean {
  return spec === asked || spec.startsWith(`${asked}:`);
}
