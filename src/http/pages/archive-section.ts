import { type StoredArchive, timeName } from '../../publish/archives/stored-archive.ts';
import { documentUri } from '../../publish/documents.ts';
import { linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import type { SetFrame } from './parts/set-frame.ts';
import { table } from './parts/tables.ts';
import { formatNumber, timeElement } from './parts/words.ts';

/** So many lists are shown; the archive has all. */
const SHOWN = 5;

/** The newest lists of the archive; nothing while there is none. */
export function archiveSection({ set, frame }: SetFrame, { lists }: StoredArchive): Html | undefined {
  if (lists.length === 0) return undefined;
  const archive = documentUri(frame.baseUrl, { kind: 'resourceListArchive', set: set.slug });
  const uriOf = (time: string) => documentUri(frame.baseUrl, { kind: 'archivedResourceList', set: set.slug, time });
  const shown = table('Archived Resource Lists', lists.slice(-SHOWN).toReversed(), [
    {
      name: 'What there was',
      style: 'short',
      isHead: true,
      cell: ({ at }) => html`<a href="${linkTo(uriOf(timeName(at)), frame)}">${timeElement(at, frame.now)}</a>`,
    },
    { name: 'Resources', style: 'number', cell: ({ resources }) => formatNumber(resources) },
  ]);
  return html`<h2 id="archive">Earlier times</h2>
${shown}
${lists.length > SHOWN && html`<p class="more"><a href="${linkTo(archive, frame)}">All archived lists</a></p>`}`;
}
