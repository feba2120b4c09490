import { LARGEST_CLOCK_ERROR_MS } from '../core/accepted-clock.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import { oaiBase, setHome } from '../core/set-uris.ts';
import { clockStamp, type Stamp } from '../core/stamp.ts';
import { formatSeconds } from '../core/w3c-datetime.ts';
import type { Organization } from '../records/organization.ts';
import { writeAnswer, writeErrors, writeSets } from './answers.ts';
import { datestampOf, secondOf } from './datestamps.ts';
import { type Identity, postmasterOf, writeIdentify } from './identify.ts';
import { answerList, type ListedSet } from './lists/answer-list.ts';
import { answerFormats, answerRecord } from './lists/answer-record.ts';
import { BusyLimit } from './lists/busy-limit.ts';
import { answerOrganizations } from './organizations/answer-organizations.ts';
import { type OaiRequest, parseRequest, type RequestArguments, repeatedArguments } from './parse-request.ts';
import { openProfile } from './profiles/open-profile.ts';
import { requireSets } from './profiles/profile.ts';
import { ProtocolErrors } from './protocol.ts';
import type { RepositoriesParts } from './repositories-parts.ts';
import { requireServed } from './require-served.ts';
import { staticRepository } from './static-repository.ts';

interface AnsweredBody {
  readonly body: string;
  /** In seconds since 1970, where it is not the one of this answer. */
  readonly responseDate?: number;
}

/** Milliseconds that a commit may take, by a server whose clock is behind as far as it may be. */
const LATEST_COMMIT_MS = LARGEST_CLOCK_ERROR_MS + 30_000;

/**
 * The sets of records as repositories of OAI-PMH 2.0, one each, and those of all organizations as another one. It
 * stores nothing: lists are read from the log, the states and the artifacts, and a resumption token is a position in
 * the log.
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
    return this.#answered({ slug: set.slug, given }, async (request) => ({
      body: await this.#body(set, request, signal),
    }));
  }

  /**
   * Answers a request to the repository of all organizations.
   * @param organizations those that the sender may read, ascending by id: the answer is as if there were no others
   * @throws TidemarkError as `answer`
   */
  answerAll(organizations: readonly Organization[], given: RequestArguments, signal?: AbortSignal): Promise<string> {
    const parts = { ...this.#parts, limit: this.#limit, earliest: (set: ResourceSet) => this.#earliest(set) };
    return this.#answered({ given }, (request, responseDate) =>
      answerOrganizations(organizations, { request, responseDate, signal }, parts),
    );
  }

  async #answered(
    { slug, given }: { readonly slug?: string; readonly given: RequestArguments },
    bodyOf: (request: OaiRequest, responseDate: number) => Promise<AnsweredBody>,
  ): Promise<string> {
    // Before the list is read: what changes from now on is in the next one.
    const second = await this.#responseDate();
    const baseUrl = oaiBase((await this.#parts.source()).baseUrl, slug);
    const folder = slug === undefined ? '' : '../';
    try {
      const { body, responseDate = second } = await bodyOf(parseRequest(given), second);
      return writeAnswer({ responseDate: formatSeconds(responseDate), folder, baseUrl, given, body });
    } catch (error) {
      if (!(error instanceof ProtocolErrors)) throw error;
      const repeated = repeatedArguments(given, error.errors);
      const body = writeErrors(error.errors);
      return writeAnswer({ responseDate: formatSeconds(second), folder, baseUrl, given: repeated, body });
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
   * In seconds since 1970.
   */
  async #responseDate(): Promise<number> {
    const watermark = await this.#parts.index.watermark();
    return secondOf(Math.max(watermark, clockStamp(Date.now() - LATEST_COMMIT_MS)));
  }

  async #body(set: ResourceSet, request: OaiRequest, signal: AbortSignal | undefined): Promise<string> {
    if (request.verb === 'Identify') return writeIdentify(await this.#identity(set));
    const listed = await this.#listed(set);
    switch (request.verb) {
      case 'ListSets':
        return writeSets(requireSets(listed.profile));
      case 'ListMetadataFormats':
        return answerFormats(listed, request.identifier);
      case 'GetRecord':
        return answerRecord(listed, request);
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
    const { slug, title } = set;
    return {
      name: title ?? slug,
      baseUrl: oaiBase(baseUrl, slug),
      adminEmail: this.#parts.adminEmail ?? postmasterOf(baseUrl),
      earliest: datestampOf(await this.#earliest(set)),
      resourceSync: `${setHome(baseUrl, slug)}capabilitylist.xml`,
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
}
