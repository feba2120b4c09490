import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import { isIndex } from '../../read/document.ts';
import type { Advertised } from './coverage.ts';
import type { SampledEntry } from './entry-sample.ts';
import { readAgain } from './read-again.ts';
import { readResource } from './read-resource.ts';
import type { SetReading } from './read-set.ts';
import type { Session } from './session.ts';

const AT_A_TIME = 4;

/**
 * Requests a sample of the resources, or all, and compares each with its entry. Resources that have changed since the
 * list was made are skipped, as far as the Change List shows it. Returns the resources that name another set as theirs.
 */
export async function checkResources(session: Session, set: SetReading): Promise<readonly Advertised[]> {
  const advertised: Advertised[] = [];
  session.expect(set.listed.chosen.length + set.changed.chosen.length);
  const results = mapInOrder(entriesToCheck(session, set), AT_A_TIME, async (sampled) => ({
    sampled,
    read: await readResource(session, sampled.entry, sampled.document),
  }));
  for await (const { sampled, read } of results) {
    if (read === undefined) continue;
    const { entry, document } = sampled;
    session.checker.answered(entry, read.answer, document);
    for (const capabilityList of new Set(read.capabilityLists)) {
      const isOwn = capabilityList === set.capabilityList?.uri && set.table.isListed(entry.loc);
      if (!isOwn) advertised.push({ uri: entry.loc, hasAdvertised: 'header', capabilityList });
    }
  }
  return advertised;
}

async function* entriesToCheck(session: Session, set: SetReading): AsyncGenerator<SampledEntry> {
  const { table, listed, changed } = set;
  const isUsable = ({ entry }: SampledEntry) => /^https?:\/\/./i.test(entry.loc) && URL.canParse(entry.loc);
  const all = session.options.sample === 'all' ? everyEntry(session, set) : listed.chosen;
  for await (const sampled of all) {
    if (isUsable(sampled) && !table.changedLater(sampled.entry.loc)) yield sampled;
  }
  for (const sampled of changed.chosen) {
    const place = { document: sampled.number, line: sampled.entry.line };
    if (isUsable(sampled) && table.isLastChange(sampled.entry.loc, place)) yield sampled;
  }
}

async function* everyEntry(session: Session, { lists }: SetReading): AsyncGenerator<SampledEntry> {
  const parts = lists.filter(({ capability }) => capability === 'resourcelist').flatMap((list) => list.parts);
  for (const document of parts.filter((part) => !isIndex(part) && part.failure === undefined)) {
    for await (const entry of readAgain(session, document)) yield { entry, document, number: 0 };
  }
}
