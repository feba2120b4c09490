import { LARGEST_CLOCK_ERROR_MS } from '../core/accepted-clock.ts';
import { TidemarkError } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import { oaiBase, setHome } from '../core/set-uris.ts';
import { clockStamp, type Stamp } from '../core/stamp.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import { writeAnswer, writeErrors, writeFormat, writeSets } from './answers.ts';
import { datestampOf } from './datestamps.ts';
import { type Identity, postmasterOf, writeIdentify } from './identify.ts';
import { answerList, type ListedSet } from './lists/answer-list.ts';
import { BusyLimit } from './lists/busy-limit.ts';
import { RecordWriter } from './lists/record-writer.ts';
import { type OaiRequest, parseRequest, type RequestArguments, repeatedArguments } from './parse-request.ts';
import { openProfile, type ProfileParts } from './profiles/open-profile.ts';
import { type ListedRecord, requireFormat, requireSets } from './profiles/profile.ts';
import { readRecord } from './profiles/read-records.ts';
import { ProtocolErrors, protocolError } from './protocol.ts';
import { staticRepository } from './static-repository.ts';

export interface RepositoriesParts extends ProfileParts {
  readonly index: Pick<
    ResourceIndex,
    'changes' | 'watermark' | 'lookup' | 'lastChanges' | 'read' | 'summary' | 'history'
  >;
  readonly adminEmail: string | undefined;
}

/** Milliseconds that a commit may take, by a server whose clock is behind as far as it may be. */
const LATEST_COMMIT_MS = LARGEST_CLOCK_ERROR_MS + 30_000;

/**
 * The sets of records as repositories of OAI-PMH 2.0, one each. It stores nothing: lists are read from the log, the
 * states and the artifacts, and a resumption token is a position in the log.
 */
export class Repositories {
  readonly #parts: RepositoriesParts;
  readonly #limit = new BusyLimit();
  /** The stamp of the first change of a set, which never changes. */
  readonly #first = new Map<SetId, Stamp>();

  constructor(parts: RepositoriesParts) {
    this.#parts = parts;
  }

  /**
   * Answers a request. Errors of the protocol are an answer, too.
   * @throws TidemarkError `not-found` for a set whose resources are no records; `not-ready` before its first sync is
   *   complete, or when too many lists are being read; `unavailable` when a record cannot be read
   */
  async answer(set: ResourceSet, given: RequestArguments, signal?: AbortSignal): Promise<string> {
    requireServed(set);
    // Before the list is read: what changes from now on is in the next one.
    const responseDate = await this.#responseDate();
    const baseUrl = oaiBase((await this.#parts.source()).baseUrl, set.slug);
    try {
      const body = await this.#body(set, parseRequest(given), signal);
      return writeAnswer({ responseDate, baseUrl, given, body });
    } catch (error) {
      if (!(error instanceof ProtocolErrors)) throw error;
      const { errors } = error;
      return writeAnswer({ responseDate, baseUrl, given: repeatedArguments(given, errors), body: writeErrors(errors) });
    }
  }

  /**
   * The records of a set that were not deleted, as one document.
   * @throws TidemarkError as `answer`; `conflict` when there are too many of them
   */
  async staticRepository(set: ResourceSet): Promise<AsyncIterable<string>> {
    requireServed(set);
    const identity = await this.#identity(set);
    return staticRepository({ ...(await this.#listed(set)), index: this.#parts.index }, identity);
  }

  /**
   * A client asks next time for what has changed since this date, so all changes that are not visible now must be
   * later. They are above the watermark, and above what the clock was before the longest commit: the later one counts.
   */
  async #responseDate(): Promise<string> {
    const watermark = await this.#parts.index.watermark();
    return datestampOf(Math.max(watermark, clockStamp(Date.now() - LATEST_COMMIT_MS)));
  }

  async #body(set: ResourceSet, request: OaiRequest, signal: AbortSignal | undefined): Promise<string> {
    if (request.verb === 'Identify') return writeIdentify(await this.#identity(set));
    const listed = await this.#listed(set);
    switch (request.verb) {
      case 'ListSets':
        return writeSets(requireSets(listed.profile));
      case 'ListMetadataFormats':
        return this.#formats(listed, request.identifier);
      case 'GetRecord':
        return this.#record(listed, request);
      case 'ListIdentifiers':
      case 'ListRecords':
        return this.#limit.run(() => answerList(listed, request, { signal, pause: () => this.#limit.giveWay() }));
    }
  }

  async #listed(set: ResourceSet): Promise<ListedSet> {
    const { index, records } = this.#parts;
    return { id: set.id, profile: await openProfile(set, this.#parts), index, records };
  }

  async #identity(set: ResourceSet): Promise<Identity> {
    const { baseUrl } = await this.#parts.source();
    const { adminEmail = postmasterOf(baseUrl) } = this.#parts;
    const { slug, title } = set;
    return {
      name: title ?? slug,
      baseUrl: oaiBase(baseUrl, slug),
      adminEmail,
      earliest: datestampOf(await this.#earliest(set)),
      capabilityList: `${setHome(baseUrl, slug)}capabilitylist.xml`,
    };
  }

  async #earliest({ id, epochStart }: ResourceSet): Promise<Stamp> {
    const known = this.#first.get(id);
    if (known !== undefined) return known;
    for await (const [first] of this.#parts.index.changes(id, { after: 0, limit: 1 })) {
      if (first !== undefined) this.#first.set(id, first.stamp);
    }
    return this.#first.get(id) ?? epochStart;
  }

  async #formats({ profile, ...listed }: ListedSet, identifier: string | undefined): Promise<string> {
    let formats = await profile.formats();
    if (identifier !== undefined) {
      const { state } = await find({ profile, ...listed }, identifier);
      const record = state && (await profile.read(await readRecord(state, listed.records)));
      formats = formats.filter(({ prefix }) => record?.metadata(prefix) !== undefined);
    }
    if (formats.length === 0) throw protocolError('noMetadataFormats', 'the record is deleted: it has no metadata');
    return `<ListMetadataFormats>${formats.map((format) => writeFormat(format)).join('')}</ListMetadataFormats>`;
  }

  async #record(listed: ListedSet, request: OaiRequest & { readonly verb: 'GetRecord' }): Promise<string> {
    const { identifier, metadataPrefix } = request;
    const found = await find(listed, identifier);
    await requireFormat(listed.profile, metadataPrefix);
    const [written] = await new RecordWriter(listed, { metadataPrefix, id: identifier }).write([found]);
    if (written !== undefined) return `<GetRecord>\n${written}</GetRecord>`;
    throw protocolError('cannotDisseminateFormat', `this record has no metadata in ${metadataPrefix}`);
  }
}

/** @throws ProtocolErrors `idDoesNotExist` */
async function find({ id, profile, index }: ListedSet, identifier: string): Promise<ListedRecord> {
  const key = profile.keyOf(identifier);
  const [found] = key === undefined ? [] : await index.lookup(id, [key]);
  if (found !== undefined) return found;
  throw protocolError('idDoesNotExist', 'there is no record with this identifier');
}

/** @throws TidemarkError `not-found`, `not-ready` */
function requireServed({ slug, origin, ready }: ResourceSet): void {
  if (traitsOf(origin).entry !== 'record') {
    const message = `the resources of "${slug}" are no records: only sets of records are served by OAI-PMH`;
    throw new TidemarkError('not-found', message, { set: slug });
  }
  if (ready) return;
  throw new TidemarkError('not-ready', `"${slug}" is being read for the first time, or moved`, { set: slug });
}
