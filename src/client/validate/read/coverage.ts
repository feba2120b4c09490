import { capabilityOf, isIndex, linksOf } from '../../read/document.ts';
import type { Page } from '../rules/rule.ts';
import { readAgain } from './read-again.ts';
import type { Session } from './session.ts';

/** A page or a resource that links to a Capability List. */
export type Advertised = Pick<Page, 'uri' | 'hasAdvertised' | 'capabilityList'>;

/**
 * Checks whether the Resource List of each Capability List contains the pages that link to it. It reads the lists
 * again, because these URIs were unknown during the first reading. Pages count as covered if the validation has not
 * read their list.
 */
export async function coverageOf(session: Session, advertised: readonly Advertised[]): Promise<readonly Page[]> {
  const covered = new Map<string, Set<string>>();
  for (const [capabilityList, all] of Map.groupBy(advertised, (each) => each.capabilityList)) {
    const wanted = new Set(all.map(({ uri }) => uri));
    covered.set(capabilityList, await listedOf(session, capabilityList, wanted));
  }
  return advertised.map((each) => ({
    ...each,
    status: 200,
    failure: undefined,
    isCovered: covered.get(each.capabilityList)!.has(each.uri),
  }));
}

async function listedOf(session: Session, capabilityList: string, wanted: ReadonlySet<string>): Promise<Set<string>> {
  const lists = [...session.documents.values()].filter(
    (document) =>
      capabilityOf(document) === 'resourcelist' &&
      !isIndex(document) &&
      linksOf(document, 'up').includes(capabilityList),
  );
  // Nothing is known of a set that was not read.
  if (session.documents.get(capabilityList) === undefined || lists.some(({ failure }) => failure !== undefined)) {
    return new Set(wanted);
  }
  const found = new Set<string>();
  for (const list of lists) {
    for await (const { loc } of readAgain(session, list)) {
      if (wanted.has(loc)) found.add(loc);
      if (found.size === wanted.size) return found;
    }
  }
  return found;
}
