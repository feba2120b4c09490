import type { StreamDumpsView, StreamDumpView } from '../../../api/stream-dump-view.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { type Frame, linkTo } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { stackingTable } from '../parts/tables.ts';
import { formatTime, timeOf } from '../parts/words.ts';

/** Full dumps and deltas with their files, which are resources of the set of dumps. @param dumps oldest first */
export function dumpTable(dumps: readonly StreamDumpView[], frame: Frame): Html {
  return stackingTable('Dumps, oldest first', dumps, [
    {
      name: 'Dump',
      style: 'name',
      isHead: true,
      cell: ({ number, kind }) => html`${kind === 'full' ? 'Full dump' : 'Delta'} <span class="id">${number}</span>`,
    },
    { name: 'Made', style: 'short', cell: ({ at }) => formatTime(Date.parse(at)) },
    { name: 'Records', style: 'number', cell: ({ totals }) => formatCount(totals.records) },
    { name: 'Deletions', style: 'number', cell: ({ totals }) => formatCount(totals.deletions) },
    { name: 'Files', style: 'name', cell: ({ files }) => html`${files.map((file) => fileLink(file, frame))}` },
  ]);
}

/** Dumps that are being made, with the reason for their wait. */
export function dumpsUnderWay({ underWay }: StreamDumpsView, { now }: Frame): Html {
  return html`${underWay.map(
    ({ kind, since, text }) =>
      html`<p class="quiet">Under way: a ${kind === 'full' ? 'full dump' : 'delta'}, requested ${timeOf(since, now)}${text !== undefined && html` (${text})`}.</p>`,
  )}`;
}

/** Whether the page will soon change. */
export function isChanging({ dumps, underWay }: StreamDumpsView): boolean {
  return underWay.length > 0 || dumps.some(({ files }) => files.some(({ uri }) => uri === undefined));
}

function fileLink({ name, length, uri }: StreamDumpView['files'][number], frame: Frame): Html {
  const shown = uri === undefined ? name : html`<a href="${linkTo(uri, frame)}">${name}</a>`;
  return html`<span class="more-of">${shown} (${formatBytes(length)})</span>`;
}
