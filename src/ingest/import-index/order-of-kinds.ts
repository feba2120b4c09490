import type { ChangeKind } from '../../core/change.ts';

/**
 * Orders changes of one resource at one time so that they are consistent: it is not created twice in a row, and not
 * updated or deleted while it is not live. Keeps the given order when that is consistent, and also when no order is.
 * @returns the indices of the kinds in the given order
 */
export function orderOfKinds(kinds: readonly ChangeKind[], isLive: boolean): readonly number[] {
  const given = [...kinds.keys()];
  if (fits(kinds, isLive)) return given;
  const [created, updated, deleted] = [
    placesIn(kinds, 'created'),
    placesIn(kinds, 'updated'),
    placesIn(kinds, 'deleted'),
  ];
  const order: number[] = [];
  for (let live = isLive; order.length < kinds.length; live = !live) {
    // Updates are consistent wherever the resource is live, so all of them come as soon as it is.
    if (live) order.push(...updated.splice(0));
    const next = (live ? deleted : created).shift();
    if (next === undefined) break;
    order.push(next);
  }
  return order.length === kinds.length ? order : given;
}

function fits(kinds: readonly ChangeKind[], isLive: boolean): boolean {
  let live = isLive;
  for (const kind of kinds) {
    if ((kind === 'created') === live) return false;
    live = kind !== 'deleted';
  }
  return true;
}

function placesIn(kinds: readonly ChangeKind[], wanted: ChangeKind): number[] {
  return [...kinds.keys()].filter((at) => kinds[at] === wanted);
}
