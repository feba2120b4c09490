import { formatCount } from '../../lib/format-count.ts';
import {
  MOST_ENTRIES,
  MOST_RECENT,
  type PostingEntry,
  type RejectedEvent,
  type Sender,
} from '../../observe/audit/posting-entry.ts';
import { setOf } from '../request/admitted.ts';
import { pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { type Html, html } from './parts/html.ts';
import { plainName } from './parts/resource-parts.ts';
import { sendPage } from './parts/send-page.ts';
import { renderSetFrame, type SetFrame, setFrameOf } from './parts/set-frame.ts';
import { type Column, stackingTable } from './parts/tables.ts';
import { counted, formatDuration, timeElement } from './parts/words.ts';

/** The page of postings. */
export function postingsRoute(app: ServedApp): Route {
  return get('/sets/:set/postings', {
    action: 'read-postings',
    ...pageOperation('postingsPage', 'Who posted what to a set, and what was rejected and why'),
    async handle(request, response) {
      const postings = await app.postings.log.read(setOf(response).id, MOST_ENTRIES);
      const page = await setFrameOf(app, { request, response }, 'postings');
      sendPage(response, renderPostingsPage({ ...page, postings }));
    },
  });
}

interface PostingsPage extends SetFrame {
  /** Newest first. */
  readonly postings: readonly PostingEntry[];
}

/** Who posted what to a set, and what was rejected and why. */
function renderPostingsPage(page: PostingsPage): string {
  const { postings, frame } = page;
  const main = html`<p class="lead">Who posted changes of this set, and what was rejected. Small postings of a minute are shown together. The last ${MOST_RECENT}
are kept, and of older ones only the latest with errors.</p>
${postings.length === 0 ? html`<p class="quiet">Nothing has been posted yet.</p>` : stackingTable('Postings, newest first', postings, columns(frame.now))}`;
  return renderSetFrame(page, main);
}

function columns(now: number): readonly Column<PostingEntry>[] {
  return [
    { name: 'When', style: 'short', isHead: true, cell: ({ ended }) => timeElement(ended * 1000, now) },
    { name: 'Who', style: 'name', cell: who },
    { name: 'Applied', style: 'number', cell: ({ applied }) => formatCount(applied) },
    { name: 'Unchanged', style: 'number', cell: ({ unchanged }) => formatCount(unchanged) },
    { name: 'Rejected', style: 'number', cell: rejectedCount },
    { name: 'Took', style: 'number', cell: ({ duration }) => formatDuration(duration) },
    { name: 'What was wrong', style: 'name', cell: whatWasWrong },
  ];
}

function who({ sender, source, postings }: PostingEntry): Html {
  return html`${senderName(sender)}${source !== undefined && html`<br><span class="quiet">from ${source}</span>`}${postings > 1 && html`<br><span class="quiet">${counted(postings, 'posting')}</span>`}`;
}

function senderName(sender: Sender): string {
  switch (sender.kind) {
    case 'token':
      return sender.name;
    case 'administrator':
      return 'Administrator';
    case 'local':
      return 'A client on the server’s machine';
    case 'command-line':
      return 'Command line';
    case 'scan':
      return 'Scan of the folder';
  }
}

function rejectedCount({ rejected }: PostingEntry): Html | string {
  return rejected === 0 ? '0' : html`<strong class="rejected">${formatCount(rejected)}</strong>`;
}

function whatWasWrong({ problem, rejected, rejections }: PostingEntry): Html | undefined {
  if (problem === undefined && rejections.length === 0) return undefined;
  const more = rejected - rejections.length;
  return html`${problem !== undefined && html`<p class="failing">Not taken to its end: ${problem}</p>`}
${
  rejections.length > 0 &&
  html`<details><summary>${counted(rejected, 'event')} rejected</summary>
<ul class="rejections">${rejections.map(rejection)}</ul>
${more > 0 && html`<p class="quiet">and ${formatCount(more)} more</p>`}</details>`
}`;
}

function rejection({ number, location, message, code }: RejectedEvent): Html {
  return html`<li>${number !== undefined && html`<span class="quiet">Event ${formatCount(number)}:</span> `}${location !== undefined && html`<code>${plainName(location)}</code> `}${message} <span class="quiet">(${code})</span></li>`;
}
