import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../../app.ts';
import type { ChangeKind } from '../../core/change.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Terminal } from './terminal.ts';

const INTERVAL = 500;
const BATCH = 10_000;

type Counts = Record<ChangeKind, number>;

/**
 * Prints a line for every batch of changes after a stamp, of any process, until the signal is aborted: `14:03:02  +3 ~1
 * -0  maps`.
 * @throws OutputClosed when no process reads them any more
 */
export async function announceChanges(
  { index, sets }: Pick<App, 'index' | 'sets'>,
  { after, terminal, signal }: { readonly after: Stamp; readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<void> {
  for (let last = after; !signal.aborted; ) {
    // The loops report a store that does not answer.
    const entries = await index.tail(last, BATCH).catch(() => []);
    last = entries.at(-1)?.stamp ?? last;
    const bySet = new Map<SetId, Counts>();
    for (const { set, kind } of entries) {
      const counts = bySet.get(set) ?? { created: 0, updated: 0, deleted: 0 };
      counts[kind] += 1;
      bySet.set(set, counts);
    }
    for (const [id, counts] of bySet) {
      const set = await sets.byId(id).catch(() => undefined);
      const slug = set?.slug ?? `set ${id}`;
      await terminal.print(describe(slug, counts), { event: 'changes', set: slug, ...counts });
      terminal.closed.throwIfAborted();
    }
    if (entries.length < BATCH) await wait(INTERVAL, undefined, { signal }).catch(() => {});
  }
}

function describe(slug: string, { created, updated, deleted }: Counts): string {
  const time = new Date().toLocaleTimeString('en-GB');
  return `${time}  +${created} ~${updated} -${deleted}  ${slug}`;
}
