import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type Batch,
  type BatchEvent,
  type BatchSet,
  type CurrentState,
  type Decisions,
  decideBatch,
  isChange,
  MOST_SOURCES,
} from '../../../src/core/decide-batch.ts';
import type { SetId } from '../../../src/core/resource-set.ts';
import { emptyLedger } from '../../../src/core/set-ledger.ts';

const PREFIX = 'http://example.org/set/';
const KEYS = 4;
const SETS = [1, 2];
/** Microseconds; the clock is there too. */
const LAST = 1_000_000;
const NOW = 1_000;

const NEVER = { state: undefined, stamp: 0, created: 0, weight: 0, order: undefined, raised: undefined };

const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });

/** Each key belongs to one set: a store finds them by both. */
const events: fc.Arbitrary<BatchEvent[]> = fc.array(
  fc
    .record({
      key: fc.nat(KEYS - 1),
      state: optional(fc.constantFrom('{"length":1}', '{"length":2}')),
      weight: fc.integer({ min: 1, max: 9 }),
      urlPrefix: fc.constantFrom(undefined, undefined, PREFIX, `${PREFIX}other/`),
      source: optional(fc.constantFrom('one', 'two', '__proto__')),
      position: optional(fc.nat(6)),
      sharesPosition: optional(fc.boolean()),
      order: optional(fc.nat(5)),
      basedOn: fc.constantFrom(undefined, undefined, undefined, LAST),
      time: optional(fc.integer({ min: LAST - 10, max: LAST + 40 }).map((time) => time * 2)),
    })
    .map((event) => ({ ...event, set: SETS[event.key % 2]!, window: undefined })),
  { maxLength: 30 },
);

describe('a batch of events', () => {
  it('is decided as its parts are, one after the other, wherever it is cut', () => {
    fc.assert(
      fc.property(events, fc.nat(30), (all, cut) => {
        const whole = decideBatch(batchOf(all));
        const first = decideBatch(batchOf(all.slice(0, cut)));
        const second = decideBatch(batchAfter(first, all.slice(cut)));
        assert.deepEqual([...first.outcomes, ...second.outcomes], whole.outcomes);
        assert.deepEqual(
          [...first.changes, ...second.changes].map(({ event: _, ...change }) => change),
          whole.changes.map(({ event: _, ...change }) => change),
        );
        assert.deepEqual([second.keys, second.last], [whole.keys, whole.last]);
        assert.deepEqual(setsAfter(second, setsAfter(first, empty())), setsAfter(whole, empty()));
      }),
    );
  });

  it('makes changes with ascending stamps, of which the states and the counts are a fold', () => {
    fc.assert(
      fc.property(events, (all) => {
        const { outcomes, changes, raised, keys, sets, last } = decideBatch(batchOf(all));
        const folded: (CurrentState | undefined)[] = Array(KEYS).fill(undefined);
        let stamp = LAST;
        for (const { event, kind, before, after } of changes) {
          const { key, state, weight } = all[event]!;
          assert.ok(after.stamp > stamp && after.stamp % 2 === 0);
          assert.equal(outcomes[event], kind);
          assert.deepEqual(before?.state, folded[key]?.state);
          assert.equal(kind === 'created', before?.state === undefined);
          assert.equal(kind === 'deleted', state === undefined);
          assert.deepEqual([after.state, after.weight], [state, weight]);
          assert.equal(after.created, kind === 'created' ? after.stamp : before?.created);
          assert.ok(after.order === undefined ? before?.order === undefined : after.order >= (before?.order ?? 0));
          folded[key] = after;
          stamp = after.stamp;
        }
        for (const { event, after } of raised) {
          const { key } = all[event]!;
          const { order: _, raised: at, ...unchanged } = after;
          const { order: before = -1, raised: __, ...state } = folded[key] ?? NEVER;
          assert.deepEqual(unchanged, state);
          assert.ok(after.order! > before && at! > after.stamp && at! <= last);
          folded[key] = after;
        }
        assert.deepEqual(keys, folded);
        assert.ok(last >= stamp);
        assert.equal(outcomes.filter(isChange).length, changes.length);
        for (const { set, ledger } of sets) {
          const ofSet = changes.filter(({ event }) => all[event]!.set === set);
          const live = folded.filter((current, key) => SETS[key % 2] === set && current?.state !== undefined).length;
          assert.deepEqual([ledger.changes, ledger.resources], [ofSet.length, live]);
          assert.equal(ledger.lastChange, ofSet.at(-1)?.after.stamp ?? 0);
          assert.equal(ledger.window.number, ofSet.at(-1)?.window ?? 0);
        }
      }),
    );
  });

  it('leaves what it was given as it was', () => {
    fc.assert(
      fc.property(events, (all) => {
        const batch = batchOf(all);
        const before = structuredClone(batch);
        decideBatch(batch);
        assert.deepEqual(batch, before);
      }),
    );
  });

  it('changes nothing when it comes again with positions of its own', () => {
    fc.assert(
      fc.property(events, (all) => {
        const positioned = all.map((event, position) => {
          return { ...event, source: 'one', position, sharesPosition: false, urlPrefix: undefined, order: undefined };
        });
        const first = decideBatch(batchOf(positioned));
        const again = decideBatch(batchAfter(first, positioned));
        assert.deepEqual(new Set(again.outcomes), new Set(all.length === 0 ? [] : ['repeated']));
        assert.deepEqual([again.keys, again.last, again.sets], [first.keys, first.last, []]);
      }),
    );
  });

  it('ends with what the event of the highest order says, whatever the order of arrival', () => {
    const upload = fc.record({ state: optional(fc.constantFrom('{"length":1}', '{"length":2}')), order: fc.nat(20) });
    const uploads = fc.uniqueArray(upload, { minLength: 1, maxLength: 8, selector: ({ order }) => order });
    fc.assert(
      fc.property(uploads, fc.array(fc.nat(7), { minLength: 1 }), (distinct, cuts) => {
        const newest = distinct.reduce((a, b) => (a.order > b.order ? a : b));
        // In any order of arrival, some of them again, in commits of any size.
        const arrived = [...distinct, ...cuts.map((at) => distinct[at % distinct.length]!)].map(eventOf);
        const [first, second] = [arrived.slice(0, cuts[0]), arrived.slice(cuts[0])];
        const { keys } = decideBatch(batchAfter(decideBatch(batchOf(first)), second));
        assert.deepEqual([keys[0]?.state, keys[0]?.order], [newest.state, newest.order]);
      }),
    );
  });

  it('keeps the order of a key when an event has none, and says what is superseded', () => {
    const event = (length: number | undefined, order?: number) =>
      eventOf({ state: length === undefined ? undefined : `{"length":${length}}`, order });
    const { outcomes, keys } = decideBatch(
      batchOf([event(1, 5), event(2), event(3, 4), event(2, 7), event(1, 6), event(1, 7), event(undefined, 6)]),
    );
    const expected = ['created', 'updated', 'superseded', 'same-state', 'superseded', 'updated', 'superseded'];
    assert.deepEqual(outcomes, expected);
    assert.deepEqual([keys[0]?.state, keys[0]?.order, keys[0]?.raised], ['{"length":1}', 7, undefined]);
  });

  it('lets a deletion supersede a creation that comes later', () => {
    const { outcomes, changes, raised } = decideBatch(
      batchOf([eventOf({ order: 2 }), eventOf({ state: '{}', order: 1 }), eventOf({ order: 1 })]),
    );
    assert.deepEqual(outcomes, ['not-there', 'superseded', 'superseded']);
    assert.deepEqual(
      [changes.length, raised.map(({ event, after }) => [event, after.stamp, after.order])],
      [0, [[0, 0, 2]]],
    );
  });

  it('raises the order only by events that count', () => {
    const known = { state: '{}', stamp: 2, created: 2, weight: 1, order: 3, raised: undefined };
    const set = { ...setBefore(), positions: new Map([['known', 3]]), sources: MOST_SOURCES };
    const event = (more: Partial<BatchEvent>) => eventOf({ state: '{}', order: 9, ...more });
    const batch = {
      ...batchOf([
        event({ urlPrefix: `${PREFIX}other/` }),
        event({ source: 'known', position: 3 }),
        event({ source: 'new', position: 3 }),
      ]),
      sets: new Map([[1, set]]),
      keys: [known],
    };
    const { outcomes, raised, keys, sets, last } = decideBatch(batch);
    assert.deepEqual(outcomes, ['moved', 'repeated', 'too-many-sources']);
    assert.deepEqual([raised, keys, sets, last], [[], [known], [], LAST]);
  });

  it('keeps the lowest order of a deletion of what was never there, and writes its set', () => {
    const { outcomes, raised, sets } = decideBatch(batchOf([eventOf({ order: 0 })]));
    assert.deepEqual(outcomes, ['not-there']);
    assert.deepEqual(
      raised.map(({ after }) => after.order),
      [0],
    );
    assert.deepEqual(
      sets.map(({ set }) => set),
      [1],
    );
  });

  it('remembers no position of an event with a source alone, or a position alone', () => {
    const full = { ...setBefore(), sources: MOST_SOURCES };
    const events = [eventOf({ source: 'new' }), eventOf({ position: 4 }), eventOf({ source: 'new', order: 1 })];
    for (const set of [setBefore(), full]) {
      const { outcomes, sets } = decideBatch({ ...batchOf(events), sets: new Map([[1, set]]) });
      assert.deepEqual(outcomes, ['not-there', 'not-there', 'not-there']);
      assert.deepEqual(
        sets.map(({ positions }) => positions),
        [new Map()],
      );
    }
  });

  it('has no room for one more source than are remembered', () => {
    const set = { ...setBefore(), positions: new Map([['known', 3]]), sources: MOST_SOURCES - 1 };
    const event = (source: string, time?: number) => eventOf({ source, position: 4, time });
    const { outcomes } = decideBatch({
      ...batchOf([event('known'), event('new'), event('newer'), event('new'), event('old', LAST)]),
      sets: new Map([[1, set]]),
    });
    assert.deepEqual(outcomes, ['not-there', 'not-there', 'too-many-sources', 'repeated', 'not-there']);
  });
});

function eventOf(more: Partial<BatchEvent>): BatchEvent {
  const rest = {
    urlPrefix: undefined,
    source: undefined,
    position: undefined,
    sharesPosition: undefined,
    order: undefined,
    basedOn: undefined,
  };
  return { set: 1, key: 0, state: undefined, weight: 1, ...rest, time: undefined, window: undefined, ...more };
}

function setBefore(): BatchSet {
  const set = { urlPrefix: PREFIX, windowChanges: 3, epochStart: 1 };
  return { set, ledger: emptyLedger(), positions: new Map(), sources: 0 };
}

function empty(): Map<SetId, BatchSet> {
  return new Map(SETS.map((set) => [set, setBefore()]));
}

function batchOf(all: readonly BatchEvent[]): Batch {
  return { events: all, sets: empty(), keys: Array(KEYS).fill(undefined), last: LAST, now: NOW };
}

function batchAfter(first: Decisions, all: readonly BatchEvent[]): Batch {
  return { events: all, sets: setsAfter(first, empty()), keys: first.keys, last: first.last, now: NOW };
}

/** The sets as a store has them when it has written what was decided. */
function setsAfter({ sets }: Decisions, before: ReadonlyMap<SetId, BatchSet>): ReadonlyMap<SetId, BatchSet> {
  const written = new Map(before);
  for (const { set: id, ledger, positions } of sets) {
    const { set, positions: known } = before.get(id)!;
    const reached = new Map([...known, ...positions]);
    written.set(id, { set, ledger: structuredClone(ledger), positions: reached, sources: reached.size });
  }
  return written;
}
