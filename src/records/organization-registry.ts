import { TidemarkError, unlessConflict } from '../core/errors.ts';
import { nearestName } from '../lib/nearest-name.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import type { RunnableActivity } from './activities/activities.ts';
import { changedSchedules, type GivenSchedule } from './activities/schedules.ts';
import { changedMessages, type MessageSettingChanges, type MessageSettings } from './message-settings.ts';
import {
  beingRemoved,
  checkedFields,
  checkedTitle,
  defaultStays,
  MOST_STREAMS,
  notFound,
  type Organization,
  type OrganizationFields,
  ofCollection,
  requireCollectionId,
  requireOrganizationId,
  requireStreamId,
  type Stream,
  streamOf,
  wasRemoved,
} from './organization.ts';
import { ensureProvider } from './provider.ts';
import { changedDumpSettings, type DumpSettingChanges, type DumpSettings } from './stream-dump-settings.ts';
import type { StreamWithSet } from './stream-set-names.ts';
import type { StreamSets } from './stream-sets.ts';

/** Changes of a stream. An absent field stays as it is. */
export interface StreamChanges {
  /** Empty removes the title. */
  readonly title?: string | undefined;
  readonly archived?: boolean | undefined;
  /** Makes this the default stream. The former one then ceases to be the default; there is no other way to end that. */
  readonly default?: true | undefined;
  readonly dumps?: DumpSettingChanges | undefined;
}

/** Changes of an organization. An absent field stays as it is. */
export interface OrganizationChanges extends Partial<OrganizationFields> {
  readonly messages?: MessageSettingChanges | undefined;
  readonly dumps?: DumpSettingChanges | undefined;
}

type VersionedOrganization = Pick<CatalogDocument<Organization>, 'version' | 'body'>;
type IsShown = (organization: Organization) => boolean;

/**
 * Manages organizations and their streams in the catalog, and makes their sets. Each call reads what other processes
 * have written.
 */
export class OrganizationRegistry {
  readonly #catalog: Pick<Catalog, 'get' | 'head' | 'list' | 'put'>;
  readonly #sets: Pick<StreamSets, 'requireFree' | 'ensure' | 'ensureDumps'>;
  /** The version of the organizations up to which all sets exist. */
  #ensured: number | undefined;

  constructor(
    catalog: Pick<Catalog, 'get' | 'head' | 'list' | 'put'>,
    sets: Pick<StreamSets, 'requireFree' | 'ensure' | 'ensureDumps'>,
  ) {
    this.#catalog = catalog;
    this.#sets = sets;
  }

  /**
   * @throws TidemarkError `conflict` when there is one with this id, or another set has the id of one of its sets;
   *   `invalid`
   */
  async add(id: string, fields: OrganizationFields): Promise<Organization> {
    requireOrganizationId(id);
    const organization: Organization = { id, ...checkedFields(fields), created: Date.now(), streams: [] };
    const before = await this.#catalog.get<Organization>('organization', id);
    if (before !== undefined) throw before.body.removed === undefined ? taken('organization', id) : wasRemoved(id);
    await this.#sets.requireFree({ organization: id });
    const put = await unlessConflict(this.#catalog.put('organization', id, organization, undefined));
    if (put === undefined) throw taken('organization', id);
    await this.#sets.ensure(organization);
    return organization;
  }

  /**
   * Makes the missing sets: a process may have been killed after it made an organization or a stream, and before it
   * made the sets. Call this often: it costs little when no organization has changed.
   * @throws TidemarkError `not-found` before the source has a base URL; `conflict` as `StreamSets.ensure`
   */
  async ensureSets(): Promise<void> {
    const head = await this.#catalog.head('organization');
    if (head === this.#ensured) return;
    for (const organization of await this.list()) await this.#sets.ensure(organization);
    this.#ensured = head;
  }

  /**
   * Makes the missing sets of the dumps of an organization in some forms, such as `marcxml`. Call this for an
   * organization that has such dumps. @throws TidemarkError as `ensureSets`
   */
  async ensureDumpSets(id: string, forms: readonly string[]): Promise<void> {
    const { body } = await this.#require(id);
    const isMade = await this.#sets.ensureDumps(body, forms);
    // It may have become private meanwhile.
    if (isMade) await this.#ensure(await this.#require(id), body);
  }

  /** All organizations, ascending by id. */
  async list(): Promise<readonly Organization[]> {
    const all = (await this.#catalog.list<Organization>('organization')).map(({ body }) => body);
    return all.filter(({ removed }) => removed === undefined);
  }

  /**
   * @param isShown an organization for which this returns false is treated as if it had never existed
   * @throws TidemarkError `not-found`
   */
  async get(id: string, isShown: IsShown = () => true): Promise<Organization> {
    return (await this.#require(id, isShown)).body;
  }

  /** @param stream must exist, if given. @throws TidemarkError `not-found` */
  async requireStream(id: string, stream?: string): Promise<StreamWithSet> {
    const organization = await this.get(id);
    if (stream === undefined) return { organization: id };
    return { organization: id, stream, set: streamOf(organization, stream).set };
  }

  /** As `requireStream`, for a dump. @throws TidemarkError also `conflict` for a stream that has none */
  async requireDumped(id: string, stream?: string): Promise<StreamWithSet> {
    const name = await this.requireStream(id, stream);
    if (name.set === undefined) return name;
    throw ofCollection(id, streamOf(await this.get(id), stream!), 'has no dumps');
  }

  /** Making an organization public removes its readers. @throws TidemarkError `not-found`; `invalid` */
  change(id: string, { dumps, messages, ...fields }: OrganizationChanges): Promise<Organization> {
    const noReaders = fields.private === false && { readers: [] };
    return this.#replace(id, ({ title, contacts, normalization, private: isPrivate, readers, ...others }) => {
      const before = { title, contacts, normalization, private: isPrivate, readers };
      const { dumps: dumpsBefore, messages: messagesBefore, ...kept } = others;
      const checked = checkedFields({ ...before, ...noReaders, ...fields });
      return { ...kept, ...checked, ...withDumps(dumpsBefore, dumps), ...withMessages(messagesBefore, messages) };
    });
  }

  /**
   * Makes a stream. The first stream of an organization becomes its default.
   * @throws TidemarkError `not-found`; `conflict` when there is one with this id, or another set has the id of one of
   *   its sets; `invalid`
   */
  async addStream(organization: string, id: string, title?: string): Promise<Organization> {
    await this.#requireFree(organization, id);
    const stream = { id, ...checkedTitle(title), created: Date.now() };
    return this.#replace(organization, (before) => withOwnStream(before, stream));
  }

  /** Makes a stream, as `addStream`, unless the organization has a default stream. @throws as `addStream` */
  async addFirstStream(organization: string, id: string): Promise<Organization> {
    await this.#requireFree(organization, id);
    return this.#replace(organization, (before) =>
      before.defaultStream === undefined ? withOwnStream(before, { id, created: Date.now() }) : before,
    );
  }

  async #requireFree(organization: string, id: string): Promise<void> {
    requireStreamId(id, organization);
    const { streams, withoutSets } = await this.get(organization);
    if (withoutSets) {
      requireOrganizationId(organization);
      await this.#sets.requireFree({ organization });
    }
    if (!streams.some((stream) => stream.id === id)) await this.#sets.requireFree({ organization, stream: id });
  }

  /**
   * Makes the stream of a collection, which has the set of its id, or ends that it is archived; and its organization,
   * without sets of its own, if there is none. It never becomes the default stream.
   * @throws TidemarkError `conflict` when there is another stream with this id, or another set has the id of one of its
   *   sets; `invalid`
   */
  async addCollectionStream(
    organization: string,
    id: string,
    { title }: Pick<Stream, 'title'> = {},
  ): Promise<Organization> {
    requireOrganizationId(organization);
    requireCollectionId(id);
    const known = (await this.#catalog.get<Organization>('organization', organization))?.body;
    if (known?.streams.some((stream) => stream.id === id && stream.set === id)) {
      return this.changeStream(organization, id, { title: title ?? '', archived: false });
    }
    await this.#sets.requireFree({ organization, stream: id, set: id });
    await ensureProvider(this.#catalog, organization, {});
    const stream: Stream = { id, ...checkedTitle(title), created: Date.now(), set: id };
    return this.#replace(organization, (before) => withStream(before, stream));
  }

  /**
   * @throws TidemarkError `not-found`; `conflict` when the default stream would be archived, or an archived one the
   * default; `invalid`
   */
  changeStream(organization: string, id: string, changes: StreamChanges): Promise<Organization> {
    return this.#replace(organization, (before) => {
      const stream = streamOf(before, id);
      if (stream.removing !== undefined) throw beingRemoved(organization, id);
      if (stream.set !== undefined && changes.default)
        throw ofCollection(organization, stream, 'cannot be the default');
      if (stream.set !== undefined && changes.dumps) throw ofCollection(organization, stream, 'has no dumps');
      const changed = changedStream(stream, changes);
      const defaultStream = changes.default ? id : before.defaultStream;
      if (defaultStream === id && changed.archived !== undefined) throw archivedDefault(organization, id, changes);
      const streams = before.streams.map((stream) => (stream.id === id ? changed : stream));
      return { ...before, ...(defaultStream !== undefined && { defaultStream }), streams };
    });
  }

  /**
   * Replaces the schedule of an activity, and makes the document of a provider that has none.
   * @param given undefined removes the schedule. @throws TidemarkError `invalid`
   */
  async schedule(id: string, activity: RunnableActivity, given: GivenSchedule | undefined): Promise<Organization> {
    if (given === undefined) await this.get(id);
    else changedSchedules([], activity, given);
    await ensureProvider(this.#catalog, id);
    return this.#replace(id, (before) => ({
      ...before,
      activities: changedSchedules(before.activities, activity, given),
    }));
  }

  async #require(id: string, isShown: IsShown = () => true): Promise<CatalogDocument<Organization>> {
    const found = await this.#catalog.get<Organization>('organization', id);
    if (found !== undefined && found.body.removed === undefined && isShown(found.body)) return found;
    const shown = (await this.list()).filter(isShown);
    const meant = nearestName(
      id,
      shown.map((organization) => organization.id),
    );
    throw notFound(`there is no organization ${JSON.stringify(id.slice(0, 100))}`, meant, { organization: id });
  }

  /** Puts the changed organization, and repeats the change when another process changes it meanwhile. */
  async #replace(id: string, change: (before: Organization) => Organization): Promise<Organization> {
    const { version, body } = await this.#require(id);
    if (body.removing !== undefined) throw beingRemoved(id);
    const changed = change(body);
    const put = await unlessConflict(this.#catalog.put('organization', id, changed, version));
    if (put === undefined) return this.#replace(id, change);
    await this.#ensure({ version: put, body: changed }, body);
    return changed;
  }

  /**
   * Marks a stream as being removed; without a stream, the organization. From then on it accepts nothing.
   * @throws TidemarkError `not-found`; `conflict` for the default stream
   */
  async beginRemoval(id: string, stream?: string): Promise<Organization> {
    return this.#mark(id, (before) => {
      const removing = Date.now();
      if (stream === undefined) return before.removing === undefined ? { ...before, removing } : before;
      if (streamOf(before, stream).removing !== undefined) return before;
      if (before.defaultStream === stream && before.removing === undefined) throw defaultStays(id, stream);
      return {
        ...before,
        streams: before.streams.map((one) => (one.id === stream ? { ...one, removing } : one)),
      };
    });
  }

  /** Takes a stream of which nothing is left out of its organization. Does nothing when there is no such stream. */
  async endStreamRemoval(id: string, stream: string): Promise<void> {
    await this.#mark(id, ({ defaultStream, ...before }) => ({
      ...before,
      ...(defaultStream !== undefined && defaultStream !== stream && { defaultStream }),
      streams: before.streams.filter((one) => one.id !== stream),
    }));
  }

  /** Leaves of an organization of which nothing is left only that it was there: its id is not used again. */
  async endRemoval(id: string): Promise<void> {
    await this.#mark(id, ({ created }) => ({
      ...{ id, created, contacts: [], private: true, withoutSets: true, streams: [] },
      removed: Date.now(),
    }));
  }

  /** Puts the changed organization, whatever is being removed of it. Its sets are not made. */
  async #mark(id: string, change: (before: Organization) => Organization): Promise<Organization> {
    const { version, body } = await this.#require(id);
    const changed = change(body);
    if (changed === body) return body;
    const put = await unlessConflict(this.#catalog.put('organization', id, changed, version));
    return put === undefined ? this.#mark(id, change) : changed;
  }

  /** Another process may change the organization and its sets before this one has changed the sets: the last counts. */
  async #ensure({ version, body }: VersionedOrganization, before: Organization): Promise<void> {
    await this.#sets.ensure(body, before);
    const now = await this.#require(body.id);
    if (now.version !== version) await this.#ensure(now, body);
  }
}

function withDumps(before: DumpSettings | undefined, changes: DumpSettingChanges = {}): Pick<Organization, 'dumps'> {
  const dumps = changedDumpSettings(before, changes);
  return dumps === undefined ? {} : { dumps };
}

function withMessages(
  before: MessageSettings | undefined,
  changes: MessageSettingChanges = {},
): Pick<Organization, 'messages'> {
  const messages = changedMessages(before, changes);
  return messages === undefined ? {} : { messages };
}

/** @throws TidemarkError `conflict` */
function withStream<Fields extends Pick<Organization, 'id' | 'streams'>>(before: Fields, stream: Stream): Fields {
  const { id, streams } = before;
  if (streams.some((other) => other.id === stream.id)) throw taken('stream', stream.id, id);
  if (streams.length >= MOST_STREAMS) throw tooMany(id);
  return { ...before, streams: [...streams, stream] };
}

/** With a stream that is not of a collection. The first one is the default. @throws TidemarkError `conflict` */
function withOwnStream({ withoutSets: _, ...before }: Organization, stream: Stream): Organization {
  return { ...withStream(before, stream), defaultStream: before.defaultStream ?? stream.id };
}

function changedStream(stream: Stream, { title, archived, dumps }: StreamChanges): Stream {
  const { title: before, archived: since, dumps: dumpsBefore, ...others } = stream;
  const isArchived = archived ?? since !== undefined;
  return {
    ...others,
    ...checkedTitle(title ?? before),
    ...(isArchived && { archived: since ?? Date.now() }),
    ...withDumps(dumpsBefore, dumps),
  };
}

function taken(what: 'organization' | 'stream', id: string, organization?: string): TidemarkError {
  const where = organization === undefined ? 'there is' : `the organization ${organization} has`;
  const article = what === 'organization' ? 'an' : 'a';
  return new TidemarkError('conflict', `${where} ${article} ${what} "${id}" already`, { [what]: id });
}

function tooMany(organization: string): TidemarkError {
  const message = `the organization ${organization} has ${MOST_STREAMS} streams, which is the most`;
  return new TidemarkError('conflict', message, { organization });
}

function archivedDefault(organization: string, stream: string, changes: StreamChanges): TidemarkError {
  if (changes.default && changes.archived) {
    const message = 'an archived stream cannot be the default one: give default or archived, not both';
    throw new TidemarkError('conflict', message, { organization, stream });
  }
  const message = changes.default
    ? `the stream ${stream} of ${organization} is archived: an archived stream cannot be the default`
    : `the stream ${stream} is the default of ${organization}: make another one the default first`;
  return new TidemarkError('conflict', message, { organization, stream });
}
