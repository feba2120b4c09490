import type { ChangeEvent, PostableEvent } from '../core/change.ts';
import { weightInSet } from '../core/entry-weight.ts';
import { unlessConflict } from '../core/errors.ts';
import type { ResourceKey } from '../core/key.ts';
import { traitsOf } from '../core/origin.ts';
import { decodedState, encodeState, type Resource } from '../core/resource.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import { type SetLinks, type StateOf, setLinksOf } from '../core/set-links.ts';
import { Mutex } from '../lib/calls/mutex.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import type { CommitResult } from '../stores/commit-result.ts';
import type { EventPoster } from '../stores/event-poster.ts';
import type { ResourceStates } from '../stores/resource-states.ts';

interface LinkedSetsParts {
  /** `later` is for sets that follow others: see Updater. */
  readonly updater: EventPoster & { readonly later: EventPoster };
  readonly index: Pick<ResourceStates, 'lookup' | 'read'>;
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
}

interface SetPosterParts extends Omit<LinkedSetsParts, 'updater'> {
  readonly updater: EventPoster;
}

/** Posts to a set, and adds the links that its rules make. */
interface LinkingPoster extends EventPoster {
  /**
   * Compares the links of all resources with the rules, and posts the differences. Needed after the rules were changed,
   * or when a process was killed before it had compared what it posted.
   */
  relinkAll(signal?: AbortSignal): Promise<void>;
}

/** The relations of links in the state that rules may have made. */
interface MadeLinks {
  readonly relations: readonly string[];
}

/**
 * Maintains the links of rules in the state. Links of a resource may depend on which other resources exist, so a commit
 * that creates or deletes a resource also contains the links of its neighbours: a reader never sees a link to a missing
 * resource. Within a process, events of a set are posted one call after the other, since each call must know the result
 * of the one before. Between processes, links based on an older state are not recorded, and each process compares what
 * it has posted once more afterwards.
 */
export class LinkedSets {
  readonly #parts: LinkedSetsParts;
  readonly #mutexes = new Map<SetId, Mutex>();

  constructor(parts: LinkedSetsParts) {
    this.#parts = parts;
  }

  posterOf(set: ResourceSet): LinkingPoster {
    const links = setLinksOf(set);
    const follows = traitsOf(set.origin).stream !== undefined;
    const updater = follows ? this.#parts.updater.later : this.#parts.updater;
    const poster = new SetPoster(set, links, { ...this.#parts, updater });
    const mutex = this.#mutexOf(set.id);
    const hasRules = links.relations.size > 0;
    return {
      post: hasRules ? (events) => mutex.run(() => poster.post(events)) : (events) => updater.post(events),
      relinkAll: (signal) => poster.relinkAll(mutex, signal),
    };
  }

  #mutexOf(id: SetId): Mutex {
    const mutex = this.#mutexes.get(id) ?? new Mutex();
    this.#mutexes.set(id, mutex);
    return mutex;
  }
}

/** Decodes the state, which rules read. */
function withDecodedState(event: PostableEvent): ChangeEvent {
  return { ...event, state: event.state && decodedState(event.state) };
}

class SetPoster {
  readonly #set: ResourceSet;
  readonly #links: SetLinks;
  readonly #parts: SetPosterParts;
  #isRecorded = false;

  constructor(set: ResourceSet, links: SetLinks, parts: SetPosterParts) {
    this.#set = set;
    this.#links = links;
    this.#parts = parts;
  }

  async post(given: readonly PostableEvent[]): Promise<readonly CommitResult[]> {
    const events = given.map(withDecodedState);
    await this.#recordRelations();
    const posted = new Map(events.map(({ key, state }) => [key, state]));
    const keys = [...posted.keys()];
    const others = this.#neighboursOf(keys).filter((key) => !posted.has(key));
    const stored = await this.#statesOf([...others, ...this.#neighboursOf(others)]);
    // The states when the events are applied.
    const stateOf: StateOf = (key) => (posted.has(key) ? posted.get(key) : stored.get(key)?.state);
    const linked = events.map((event) => this.#withLinks(event, stateOf));
    const results = await this.#parts.updater.post([...linked, ...this.#relinked(others, stored, { stateOf })]);
    const own = results.slice(0, events.length);
    // Another process may have recorded a neighbour since it was read. If two do so at the same time, the one that
    // commits later reads the other one here. Or an event did not have its effect.
    if (this.#links.dependsOnOthers || !own.every(hasItsState)) await this.#relink([...keys, ...others]);
    return own;
  }

  async relinkAll(mutex: Mutex, signal?: AbortSignal): Promise<void> {
    const { relations } = this.#links;
    if (relations.size > 0) await this.#recordRelations();
    const made = await this.#madeLinks();
    const former = new Set(made?.body.relations);
    if (former.size === 0) return;
    for await (const batch of this.#parts.index.read(this.#set.id, {})) {
      signal?.throwIfAborted();
      const states = new Map(batch.map((resource) => [resource.key, resource]));
      const others = this.#neighboursOf([...states.keys()]).filter((key) => !states.has(key));
      for (const [key, resource] of await this.#statesOf(others)) states.set(key, resource);
      const stateOf: StateOf = (key) => states.get(key)?.state;
      const differing = this.#relinked(
        batch.map(({ key }) => key),
        states,
        { stateOf, former },
      );
      // The states may have changed since they were read.
      const keys = differing.map(({ key }) => key);
      if (keys.length > 0) await mutex.run(() => this.#relink(keys, former));
    }
    if (![...former].every((rel) => relations.has(rel))) await this.#putMadeLinks([...relations], made);
  }

  async #relink(keys: readonly ResourceKey[], former?: ReadonlySet<string>): Promise<void> {
    for (let left = keys; left.length > 0; ) {
      const stored = await this.#statesOf([...left, ...this.#neighboursOf(left)]);
      const events = this.#relinked(left, stored, { stateOf: (key) => stored.get(key)?.state, former });
      if (events.length === 0) return;
      const results = await this.#parts.updater.post(events);
      left = events.filter((_, at) => isSuperseded(results[at]!)).map(({ key }) => key);
    }
  }

  /** Events for the keys whose links differ from those of the rules. */
  #relinked(
    keys: readonly ResourceKey[],
    stored: ReadonlyMap<ResourceKey, Pick<Resource, 'state' | 'stamp'>>,
    by: { readonly stateOf: StateOf; readonly former?: ReadonlySet<string> | undefined },
  ): readonly ChangeEvent[] {
    const { id, urlPrefix } = this.#set;
    return keys.flatMap((key) => {
      const found = stored.get(key);
      if (found === undefined) return [];
      const { state, stamp: basedOn } = found;
      const linked = { ...state, links: this.#links.linksOf(key, state, by) };
      if (encodeState(linked) === encodeState(state)) return [];
      return [{ set: id, key, state: linked, weight: weightInSet(this.#set, key, linked), urlPrefix, basedOn }];
    });
  }

  #withLinks(event: ChangeEvent, stateOf: StateOf): ChangeEvent {
    const { key, state } = event;
    if (state === undefined) return event;
    const linked = { ...state, links: this.#links.linksOf(key, state, { stateOf }) };
    return { ...event, state: linked, weight: weightInSet(this.#set, key, linked) };
  }

  #neighboursOf(keys: readonly ResourceKey[]): readonly ResourceKey[] {
    if (!this.#links.dependsOnOthers) return [];
    return [...new Set(keys.flatMap((key) => this.#links.neighboursOf(key)))];
  }

  /** The live resources among the keys. */
  async #statesOf(keys: readonly ResourceKey[]): Promise<Map<ResourceKey, Resource>> {
    if (keys.length === 0) return new Map();
    const found = await this.#parts.index.lookup(this.#set.id, [...new Set(keys)]);
    return new Map(found.flatMap((one) => (one?.state === undefined ? [] : [[one.key, one] as const])));
  }

  /** Records, before a rule makes links, that there may be some: the rule may be removed later. */
  async #recordRelations(): Promise<void> {
    if (this.#isRecorded) return;
    const made = await this.#madeLinks();
    const relations = new Set([...(made?.body.relations ?? []), ...this.#links.relations]);
    if (relations.size > (made?.body.relations.length ?? 0)) await this.#putMadeLinks([...relations], made);
    this.#isRecorded = true;
  }

  #madeLinks(): Promise<CatalogDocument<MadeLinks> | undefined> {
    return this.#parts.catalog.get<MadeLinks>('made-links', String(this.#set.id));
  }

  async #putMadeLinks(relations: readonly string[], before: CatalogDocument<MadeLinks> | undefined): Promise<void> {
    const { catalog } = this.#parts;
    const put = await unlessConflict(catalog.put('made-links', String(this.#set.id), { relations }, before?.version));
    // Another process did the same, or has other rules: the next comparison finds the remaining links.
    if (put === undefined && relations.length > 0) await this.#recordRelations();
  }
}

/** Whether the key has changed since the state that the event was based on. */
function isSuperseded(result: CommitResult): boolean {
  return result.status === 'unchanged' && result.reason === 'superseded';
}

/** Whether the event's key has the event's state now, according to the result. */
function hasItsState(result: CommitResult): boolean {
  if (result.status === 'applied') return true;
  return result.status === 'unchanged' && (result.reason === 'same-state' || result.reason === 'not-there');
}
