import assert from 'node:assert/strict';
import type { Change } from '../../src/core/change.ts';
import { uriOf } from '../../src/core/key.ts';
import { formatStamp } from '../../src/core/stamp.ts';
import { URL_PREFIX } from './fault-source.ts';
import type { ReadResourceList } from './set-reader.ts';

interface DatedState {
  readonly datetime: string;
  /** Undefined when it was deleted then. */
  readonly length: number | undefined;
}

/** No list was older than its `at` says. */
export function requireHonestLists(lists: readonly ReadResourceList[], log: readonly Change[]): void {
  const histories = historiesOf(log);
  for (const list of lists) requireHonest(list, histories);
}

function historiesOf(log: readonly Change[]): ReadonlyMap<string, readonly DatedState[]> {
  const histories = new Map<string, DatedState[]>();
  for (const { key, stamp, state } of log) {
    const uri = uriOf(URL_PREFIX, key);
    const history = histories.get(uri) ?? [];
    histories.set(uri, history);
    history.push({ datetime: formatStamp(stamp), length: state?.length });
  }
  return histories;
}

/**
 * Every resource is listed in the state that it had at the list's `at`, or in a later one: no change up to `at` is
 * missing.
 */
function requireHonest(
  { at, resources }: ReadResourceList,
  histories: ReadonlyMap<string, readonly DatedState[]>,
): void {
  for (const uri of resources.keys()) assert.ok(histories.has(uri), `${uri} never was`);
  for (const [uri, history] of histories) {
    const known = history.filter(({ datetime }) => datetime <= at).length;
    const states = new Set(history.slice(Math.max(known - 1, 0)).map(({ length }) => length));
    if (known === 0) states.add(undefined);
    const listed = resources.get(uri)?.length;
    assert.ok(states.has(listed), `the list of ${at} has ${uri} with the length ${listed}, which is older`);
  }
}
