import { TidemarkError } from '../core/errors.ts';
import { entriesSince, MAX_ENTRIES, MAX_ENTRIES_WEIGHT } from '../core/resource-set.ts';
import { boundaryAfter, boundaryBefore, clockStamp, formatStamp, type Stamp } from '../core/stamp.ts';
import { lastPrune } from '../core/version-prunes.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { SetStatistics } from '../stores/set-statistics.ts';
import { withArchive } from './archive-documents.ts';
import type { RenderTask } from './cache/document-cache.ts';
import { fingerprint } from './cache/document-reference.ts';
import { fromOf, type History, readHistory } from './change-windows.ts';
import type { DocumentPlan, RequestedRange } from './document-plan.ts';
import { documentName, parseName, partName } from './pages/document-name.ts';
import { asClosed, type PublishedSet } from './published-set.ts';

const LIMITS = { entries: MAX_ENTRIES, weight: MAX_ENTRIES_WEIGHT };

/** The Change Lists of a set: windows of its history, and the index of them (ResourceSync 1.1, 12). */
export class ChangeLists {
  readonly #index: ChangeLog & SetStatistics;

  constructor(index: ChangeLog & SetStatistics) {
    this.#index = index;
  }

  async list(published: PublishedSet): Promise<DocumentPlan> {
    const history = await this.#history(published);
    const { set, uris } = published;
    const archived = withArchive(published, uris.changeListArchive);
    if (history.windows.length > 1) return planWindowIndex(archived, history);
    const { newest } = history;
    return planChanges(archived, {
      name: documentName(uris.changeList),
      newest,
      range: { after: set.epochStart, until: newest + 1 },
      head: { from: set.epochStart, capabilityList: uris.capabilityList, archives: uris.changeListArchive },
    });
  }

  async recent(published: PublishedSet): Promise<DocumentPlan> {
    const { set, uris } = published;
    const { newest } = await this.#history(published);
    const { seen, notBefore } = withoutPruned(published, set.epochStart);
    const document = { name: documentName(uris.recentChanges), version: newest, notBefore };
    return plan(seen, document, () => ({
      newest,
      job: {
        kind: 'recent-changes',
        set: set.id,
        epochStart: set.epochStart,
        until: newest + 1,
        limits: LIMITS,
        capabilityList: uris.capabilityList,
        style: seen.style,
      },
    }));
  }

  /** @throws TidemarkError `not-found` or `gone` */
  async window(published: PublishedSet, name: string): Promise<DocumentPlan> {
    const { set, uris } = published;
    const number = parseName(name, set.epoch);
    const { windows, newest } = await this.#history(published);
    const at = windows.findIndex((window) => window.number === number);
    if (at < 0) throw new TidemarkError('not-found', `there is no change list "${name}"`, { name });
    const from = fromOf(published, windows, at);
    const next = windows[at + 1];
    const head = { from, capabilityList: uris.capabilityList, index: uris.changeList };
    if (next === undefined) {
      return planChanges(published, {
        name: documentName(uris.changeWindow(name)),
        newest,
        range: { after: from, until: newest + 1 },
        head,
      });
    }
    return planChanges(asClosed(published, next.from), {
      name: documentName(uris.changeWindow(name), 'closed'),
      newest: next.from - 1,
      range: { after: from, until: next.from },
      head: { ...head, until: next.from },
      immutable: true,
    });
  }

  /** The changes of a period, as many as a document may contain. @throws TidemarkError `invalid` */
  async between(published: PublishedSet, range: RequestedRange): Promise<DocumentPlan> {
    const { set, uris } = published;
    const { newest } = await this.#history(published);
    requireOrder(range, { begins: set.epochStart, newest });
    const from = Math.max(boundaryBefore(range.from ?? set.epochStart), set.epochStart);
    // A list with `until` must never change again, so a list whose end is in the future is left open.
    const asked = range.until === undefined || range.until > newest ? undefined : boundaryAfter(range.until);
    const next = await this.#endOfDocument(published, from, asked ?? newest + 1);
    const until = next ?? asked;
    const head = { from, capabilityList: uris.capabilityList, ...(until !== undefined && { until }) };
    // All questions share one name, so that a new one replaces the last one in the cache: there are as many as clients.
    const seen = until === undefined ? published : asClosed(published, until);
    const question = { ...seen, fingerprint: fingerprint(seen.fingerprint, from, until) };
    const document = planChanges(question, {
      name: documentName(uris.changeList, 'between'),
      newest: until === undefined ? newest : until - 1,
      range: { after: from, until: until ?? newest + 1 },
      head,
      immutable: until !== undefined,
    });
    return { ...document, next };
  }

  /** The boundary below the first change that exceeds a document starting here; undefined when all changes fit. */
  async #endOfDocument({ set }: PublishedSet, after: Stamp, until: Stamp): Promise<Stamp | undefined> {
    let entries = 0;
    let weight = 0;
    for await (const changes of this.#index.changes(set.id, { after, until })) {
      for (const change of changes) {
        entries += 1;
        weight += change.weight;
        if (entries > LIMITS.entries || weight > LIMITS.weight) return change.stamp - 1;
      }
    }
    return undefined;
  }

  #history(published: PublishedSet): Promise<History> {
    return readHistory(this.#index, published);
  }
}

interface ChangesPlan {
  readonly name: string;
  readonly newest: Stamp;
  readonly range: { readonly after: Stamp; readonly until: Stamp };
  readonly head: {
    readonly from: Stamp;
    readonly until?: Stamp;
    readonly capabilityList: string;
    readonly index?: string;
    readonly archives?: string;
  };
  readonly immutable?: boolean;
}

function planWindowIndex(published: PublishedSet, { windows, newest }: History): DocumentPlan {
  const { set, uris } = published;
  // An index lists the changes since its `from`, so the oldest of too many windows may be left out (ResourceSync 1.1,
  // 12.2).
  const first = Math.max(windows.length - MAX_ENTRIES, 0);
  return plan(published, { name: documentName(uris.changeList, 'index'), version: newest }, () => ({
    newest,
    job: {
      kind: 'change-list-index',
      document: {
        from: fromOf(published, windows, first),
        capabilityList: uris.capabilityList,
        archives: uris.changeListArchive,
        windows: windows.slice(first).map(({ number, from }, at, listed) => {
          const next = listed[at + 1];
          const uri = uris.changeWindow(partName(set.epoch, number));
          const begins = first + at === 0 ? set.epochStart : from;
          return { uri, from: begins, ...(next !== undefined && { until: next.from }) };
        }),
      },
    },
  }));
}

function planChanges(
  published: PublishedSet,
  { name, newest, range, head, immutable = false }: ChangesPlan,
): DocumentPlan {
  const { seen, notBefore } = withoutPruned(published, range.after, head.until);
  return plan(seen, { name, version: newest, notBefore }, () => ({
    newest,
    immutable,
    job: { kind: 'changes', set: seen.set.id, ...range, head, style: seen.style },
  }));
}

/**
 * The set for a document that must not name versions which may have been removed. A closed document never changes again
 * (ResourceSync 1.1, 7): it names the versions that existed when it was closed.
 * @param after the document contains the changes after this boundary
 */
function withoutPruned(published: PublishedSet, after: Stamp, closed?: Stamp) {
  const { set, style, fingerprint: ofSet } = published;
  const prune = lastPrune(set, closed);
  if (style.versions === undefined || prune === undefined || prune.before <= after) return { seen: published };
  const versions = { ...style.versions, pruned: prune.before };
  const seen = { ...published, style: { ...style, versions }, fingerprint: fingerprint(ofSet, prune.before) };
  return { seen, notBefore: prune.at };
}

function plan(
  { set, folder, fingerprint }: PublishedSet,
  {
    name,
    version,
    notBefore = 0,
  }: { readonly name: string; readonly version: Stamp; readonly notBefore?: Stamp | undefined },
  task: () => RenderTask,
): DocumentPlan {
  const reference = { folder, name, version, fingerprint };
  return { reference, task, notBefore: Math.max(notBefore, entriesSince(set)) };
}

function requireOrder(
  { from, until }: RequestedRange,
  { begins, newest }: { readonly begins: Stamp; readonly newest: Stamp },
): void {
  // Stamps run ahead of the clock while many changes are committed at once.
  if (from !== undefined && from > Math.max(clockStamp(), newest + 1)) {
    throw new TidemarkError('invalid', `from is in the future: it is ${formatStamp(clockStamp())} now`, {
      code: 'future',
      field: 'from',
    });
  }
  if (until !== undefined && until <= (from ?? 0)) {
    throw new TidemarkError('invalid', 'until must be after from', { code: 'order', field: 'until' });
  }
  if (until !== undefined && until <= begins) {
    throw new TidemarkError(
      'invalid',
      `until is before the history of this set, which begins at ${formatStamp(begins)}`,
      {
        code: 'before-history',
        field: 'until',
        begins: formatStamp(begins),
      },
    );
  }
}
