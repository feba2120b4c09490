import { isTidemarkError, TidemarkError, unlessConflict } from '../core/errors.ts';
import { type StreamOrigin, type StreamOriginKind, traitsOf } from '../core/origin.ts';
import { MAX_TITLE_LENGTH, type ResourceSet } from '../core/resource-set.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import { RECORD_FILES } from './forms/record-forms.ts';
import type { Organization } from './organization.ts';
import { readersOf } from './organization-readers.ts';
import {
  dumpsInForm,
  type StreamName,
  type StreamSet,
  type StreamWithSet,
  setOfStream,
  setsOfStream,
} from './stream-set-names.ts';

const KINDS: Readonly<Record<StreamSet, StreamOriginKind>> = {
  records: 'stream',
  uploads: 'uploads',
  dumps: 'dump-files',
};

/** Of the dumps of an organization in each form: those are made when it has such dumps. */
function dumpSetsOf({ id: organization, title = organization, withoutSets }: Organization): readonly DumpSet[] {
  if (withoutSets) return [];
  return RECORD_FILES.map(({ kind: form, title: format }) => ({
    form,
    slug: dumpsInForm(organization, form),
    title: shortened(title, `: full and delta dumps as ${format}, for programs that follow by files`),
    origin: { kind: 'dump-files', organization, form },
  }));
}

/** The ids of all sets that a stream may have. */
export function slugsOfStream(name: StreamWithSet): readonly string[] {
  const slugs = setsOfStream(name).map((what) => setOfStream(name, what));
  if (name.stream !== undefined) return slugs;
  return [...slugs, ...RECORD_FILES.map(({ kind }) => dumpsInForm(name.organization, kind))];
}

type Sets = Pick<SetRegistry, 'add' | 'change' | 'list' | 'recordReaders' | 'removeOwned' | 'requireFree'>;

interface WantedSet {
  readonly slug: string;
  readonly title: string;
  readonly origin: StreamOrigin;
}

interface DumpSet extends WantedSet {
  readonly form: string;
}

/** The sets of organizations and of their streams. They exist as long as those. */
export class StreamSets {
  readonly #sets: Sets;

  constructor(sets: Sets) {
    this.#sets = sets;
  }

  /**
   * Requires that the sets of an organization, or of a stream, can be made. Called before the organization or stream is
   * made.
   * @throws TidemarkError `conflict` when another set has, or had, the id of one of them
   */
  async requireFree(name: StreamWithSet): Promise<void> {
    const own = name.stream === undefined ? `${name.organization}--` : undefined;
    const other = (await this.#sets.list()).find(({ slug }) => own !== undefined && slug.startsWith(own));
    if (other !== undefined) throw taken(name, other.slug);
    for (const slug of slugsOfStream(name)) {
      await this.#sets.requireFree(slug).catch((error: unknown) => {
        throw isTidemarkError(error, 'conflict') ? taken(name, slug) : error;
      });
    }
  }

  /**
   * Makes the missing sets of an organization, and updates titles and readers of the others. Any number of processes
   * may run this concurrently.
   * @param before the organization before the change: a title that a user has given to a set stays
   * @throws TidemarkError `not-found` before the source has a base URL; `conflict` when another set has an id
   */
  async ensure(organization: Organization, before?: Organization): Promise<void> {
    if (organization.removing !== undefined) return;
    const existing = new Map((await this.#sets.list()).map((set) => [set.slug, set]));
    const access = accessOf(organization);
    const isMade = (wanted: WantedSet) => {
      const set = existing.get(wanted.slug);
      return set !== undefined && isOwn(set, wanted);
    };
    const allOf = (one: Organization) => [...setsOf(one), ...dumpSetsOf(one).filter(isMade)];
    const former = new Map((before === undefined ? [] : allOf(before)).map(({ slug, title }) => [slug, title]));
    for (const wanted of allOf(organization)) {
      const { slug, title } = wanted;
      const set = existing.get(slug);
      if (set === undefined) await this.#add({ ...wanted, ...access });
      else if (!isOwn(set, wanted)) throw taken(wanted.origin, slug);
      else {
        await this.#sets.recordReaders(slug, access);
        if (former.get(slug) === set.title && set.title !== title) await this.#sets.change(slug, { title });
      }
    }
  }

  /**
   * Makes the missing sets of the dumps of an organization in some forms. One whose id another set has, or had, is not
   * made. Returns whether one was made: then the caller must read the organization again, and call `ensure`.
   */
  async ensureDumps(organization: Organization, forms: readonly string[]): Promise<boolean> {
    const existing = new Set((await this.#sets.list()).map(({ slug }) => slug));
    const isMissing = ({ form, slug }: DumpSet) => forms.includes(form) && !existing.has(slug);
    const missing = dumpSetsOf(organization).filter(isMissing);
    for (const { form: _, ...wanted } of missing) {
      await unlessConflict(this.#add({ ...wanted, ...accessOf(organization) }));
    }
    return missing.length > 0;
  }

  /** Removes the sets of a stream that is removed, or those of an organization. Their ids stay taken. */
  async remove(name: StreamWithSet): Promise<void> {
    const slugs = slugsOfStream(name);
    for (const { slug, origin } of await this.#sets.list()) {
      const { stream } = traitsOf(origin);
      const isOfStream = stream?.organization === name.organization && stream.stream === name.stream;
      if (isOfStream && slugs.includes(slug)) await this.#sets.removeOwned(slug);
    }
  }

  async #add(wanted: WantedSet & Pick<ResourceSet, 'private' | 'readers'>): Promise<void> {
    try {
      await this.#sets.add(wanted);
    } catch (error) {
      if (!isTidemarkError(error, 'conflict')) throw error;
      // Another process has made it meanwhile, or another set has its id.
      const set = (await this.#sets.list()).find(({ slug }) => slug === wanted.slug);
      if (set === undefined || !isOwn(set, wanted)) throw taken(wanted.origin, wanted.slug);
    }
  }
}

function accessOf(organization: Organization) {
  const { private: isPrivate, readers } = readersOf(organization);
  return { private: isPrivate, readers };
}

/** The sets that an organization must have; those of the default stream come first. */
function setsOf({ id: organization, title = organization, streams, withoutSets }: Organization): readonly WantedSet[] {
  const names: readonly TitledStream[] = [
    ...(withoutSets ? [] : [{ organization }]),
    ...streams
      .filter(({ removing }) => removing === undefined)
      .map(({ id: stream, title, set }) => ({ organization, stream, title, set })),
  ];
  return names.flatMap((name) =>
    setsOfStream(name).map((what) => ({
      slug: setOfStream(name, what),
      title: titleOf(what, title, name),
      origin: originOf(what, name),
    })),
  );
}

function originOf(what: StreamSet, { organization, stream, set }: StreamWithSet): StreamOrigin {
  const ofStream = { ...(stream !== undefined && { stream }), ...(set !== undefined && { collection: set }) };
  return { kind: KINDS[what], organization, ...ofStream };
}

interface TitledStream extends StreamWithSet {
  readonly title?: string | undefined;
}

/** A collection is known by its own title, not by that of its provider. */
function titleOf(what: StreamSet, organization: string, { stream, title, set }: TitledStream): string {
  if (set === undefined) return shortened(organization, `: ${what}${streamTitle(stream, title)}`);
  return shortened(title ?? set, what === 'records' ? '' : ': harvests');
}

function streamTitle(stream: string | undefined, title: string | undefined): string {
  if (stream === undefined) return '';
  return title === undefined ? ` of the stream ${stream}` : ` of the stream ${stream} (${title})`;
}

/** The title of the organization and a suffix, cut to the length of a set title. */
function shortened(title: string, rest: string): string {
  const end = cut(rest, MAX_TITLE_LENGTH / 2);
  return `${cut(title, MAX_TITLE_LENGTH - end.length)}${end}`;
}

/** The beginning of a well-formed text, without half of a surrogate pair. */
function cut(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

function isOwn({ origin }: Pick<ResourceSet, 'origin'>, wanted: Pick<WantedSet, 'origin'>): boolean {
  const { stream } = traitsOf(origin);
  const { kind, organization, stream: id, form } = wanted.origin;
  if (stream?.kind !== kind || stream.form !== form) return false;
  return stream.organization === organization && stream.stream === id;
}

function taken({ organization, stream }: StreamName, set: string): TidemarkError {
  const what =
    stream === undefined
      ? `the organization ${organization}`
      : `the stream ${stream} of the organization ${organization}`;
  return new TidemarkError(
    'conflict',
    `${what} would have the set "${set}", and there is, or was, another set with this id: choose another id`,
    { organization, stream, set },
  );
}
