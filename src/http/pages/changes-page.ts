import type { Change } from '../../core/change.ts';
import { html } from './parts/html.ts';
import { onward, queryOf } from './parts/pager.ts';
import { changeTable } from './parts/resource-parts.ts';
import { readingNotice, renderSetFrame, type SetFrame } from './parts/set-frame.ts';

export interface ChangesPage extends SetFrame {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** Whether there are newer ones, and the boundary below the last shown one when there are older ones. */
  readonly isLatest: boolean;
  readonly older: number | undefined;
}

/** A set's changes, back to its beginning. */
export function renderChangesPage(page: ChangesPage): string {
  const { set, changes, isLatest, older, frame } = page;
  const main = html`${readingNotice(set)}
${changes.length === 0 ? html`<p class="quiet">${isLatest ? 'Nothing has changed yet.' : 'There is nothing before this.'}</p>` : changeTable('Changes, newest first', changes, frame.now)}
${onward(
  isLatest ? undefined : { name: 'Latest', href: './changes' },
  older === undefined ? undefined : { name: 'Older', href: queryOf({ before: String(older) }) },
)}`;
  return renderSetFrame(page, main);
}
