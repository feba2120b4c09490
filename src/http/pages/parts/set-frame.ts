import type { Request, Response } from 'express';
import { may } from '../../../access/may.ts';
import { traitsOf } from '../../../core/origin.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { UnreadEntries } from '../../../observe/metrics/unread-entries.ts';
import { senderOf, setOf } from '../../request/admitted.ts';
import type { ServedApp } from '../../request/served-app.ts';
import type { Frame } from './frame.ts';
import { frameOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { type HeadLink, renderPage } from './layout.ts';
import { pathText } from './path-text.ts';
import { counted, timeElement } from './words.ts';

/** The pages of a set, in the order of its tabs. */
const TABS = [
  { tab: 'overview', name: 'Overview', path: '', action: 'read-documents' },
  { tab: 'resources', name: 'Resources', path: 'find', action: 'read-state' },
  { tab: 'changes', name: 'Changes', path: 'changes', action: 'read-state' },
  { tab: 'pages', name: 'Pages', path: 'pages', action: 'read-state' },
  { tab: 'postings', name: 'Postings', path: 'postings', action: 'read-postings' },
  { tab: 'settings', name: 'Settings', path: 'settings', action: 'administer' },
] as const;
export type Tab = (typeof TABS)[number]['tab'];

export interface SetFrame {
  readonly frame: Frame;
  readonly set: ResourceSet;
  /** Undefined for a page below the tabs. */
  readonly tab: Tab | undefined;
  /** The pages of the set that the viewer may open: a token may only be for posting to it. */
  readonly open: readonly Tab[];
  /** What this server could not read of the source; for administrators. */
  readonly unread?: UnreadEntries | undefined;
}

interface SetFrameMore {
  /** The title of the page, below that of the set. */
  readonly above?: string;
  /** Links in the head of the page. */
  readonly links?: readonly HeadLink[];
  /** Seconds after which the page is reloaded. */
  readonly again?: number | undefined;
  /** The newest change that the page shows: it is reloaded at each later one. */
  readonly newest?: Stamp | undefined;
}

/** A page of a set: its name, the links to its other pages, and its contents. */
export function renderSetFrame(page: SetFrame, main: Html, { above, links, again, newest }: SetFrameMore = {}): string {
  const { frame, set, tab } = page;
  const name = titleOf(set);
  const subtitle = traitsOf(set.origin).shown?.subtitle;
  const tabName = TABS.find((one) => one.tab === tab && tab !== 'overview')?.name;
  return renderPage({
    frame,
    title: [above ?? tabName, name].filter((part) => part !== undefined).join(' – '),
    main: html`${crumbs(page)}
<h1>${above === undefined ? name : pathText(above)} ${above === undefined && stateBadge(set)}</h1>
${
  above === undefined &&
  html`<p class="subtitle"><span class="id">${set.slug}</span> ${subtitle !== undefined && html`· ${subtitle.text}${subtitle.name !== undefined && html` <code>${subtitle.name}</code>`}`} · resources below <code>${set.urlPrefix}</code></p>
${tabs(page)}`
}
${main}`,
    links,
    // While the set is being read, its figures change every few seconds.
    again: set.ready ? again : 5,
    follows: set.ready && tab === 'overview' ? streamAfter(newest, page) : undefined,
  });
}

/** The address of the stream without a gap: it starts after the newest change that the page shows. */
function streamAfter(newest: Stamp | undefined, { frame, set }: SetFrame): string {
  const from = newest === undefined ? '' : `?${new URLSearchParams({ from: formatStamp(newest + 2) })}`;
  return `${frame.top}api/sets/${set.slug}/changes/stream${from}`;
}

export function titleOf({ title, slug }: ResourceSet): string {
  return title ?? slug;
}

/** A badge for a set that is private, or not available to clients yet; undefined for other sets. */
function stateBadge({ ready, private: isPrivate, trouble }: ResourceSet): Html | undefined {
  if (ready && isPrivate !== true && trouble === undefined) return undefined;
  return html`${isPrivate === true && html`<span class="state">private</span>`} ${!ready && html`<span class="state reading">being read</span>`} ${trouble !== undefined && html`<span class="state reading">not in sync</span>`}`;
}

export function readingNotice({ ready }: ResourceSet): Html | undefined {
  if (ready) return undefined;
  return html`<p class="notice" role="status">This set is being read for the first time. Its documents will be here when that is complete.</p>`;
}

/** Only administrators see the reason: it may name files and hosts. */
export function troubleNotice({ set: { trouble }, frame: { viewer, now } }: SetFrame): Html | undefined {
  if (trouble === undefined) return undefined;
  const since = html`It is not in sync with its source since ${timeElement(trouble.since * 1000, now)}`;
  return html`<div class="notice bad" role="status"><p>${since}${viewer.isAdministrator && html`: ${trouble.problem}`}</p></div>`;
}

/** Entries of the source that could not be read, for administrators. */
export function unreadNotice({ unread, frame: { now } }: SetFrame): Html | undefined {
  if (unread === undefined) return undefined;
  const { problems, problemCount, at } = unread;
  const more = problemCount - problems.length;
  return html`<div class="notice bad" role="status"><p>${counted(problemCount, 'entry', 'entries')} of its source could not be read ${timeElement(at * 1000, now)}, so the set lacks them, or has them as they were before:</p>
<ul>${problems.map(({ path, problem }) => html`<li>${problem.startsWith(path) ? problem : html`<code>${path}</code>: ${problem}`}</li>`)}</ul>
<p>${more > 0 && `The log of the server has ${counted(more, 'more')}. `}They are tried again when they change, and with each <a href="./settings">scan of all of it</a>.</p></div>`;
}

/** Hidden files that are published, for administrators: perhaps they were not meant to be. */
export function hiddenNotice({ set: { hidden, private: isPrivate }, frame: { viewer } }: SetFrame): Html | undefined {
  if (hidden === undefined || !viewer.isAdministrator) return undefined;
  const { count, paths } = hidden;
  const names = paths.map((path, at) => html`${at > 0 && ', '}<code>${path}</code>`);
  const more = count > paths.length && ` and ${formatCount(count - paths.length)} more`;
  const readers = isPrivate === true ? 'everybody who may read the set' : 'everybody';
  return html`<div class="notice" role="status"><p>It publishes hidden files, to ${readers}: ${names}${more}. To leave them out, add <code>.*</code> to “Files to leave out” in the <a href="./settings">settings</a>.</p></div>`;
}

/** Lets feed readers find the changes of a set. */
export function feedLink(set: ResourceSet): HeadLink {
  return {
    rel: 'alternate',
    href: './changes.atom',
    type: 'application/atom+xml',
    title: `Changes of ${titleOf(set)}`,
  };
}

/** What to do when a set is still empty. */
export function emptySet({ origin, slug }: ResourceSet, { top, viewer }: Frame): Html {
  const { source, stream, shown } = traitsOf(origin);
  if (source === undefined) {
    return html`There is no resource yet. Post some: <a href="${top}api/reference/changes#postChanges">the API</a> has an example, and <code>tidemark changes post ${slug} FILE</code> does it on the machine.`;
  }
  if (stream !== undefined) return html`There is no resource yet. What is in ${source} is shown here.`;
  return html`There is no resource yet. What is put into ${shown?.place !== undefined && viewer.isAdministrator ? html`<code>${shown.place}</code>` : 'its source'} is shown here.`;
}

function crumbs({ frame, set, tab }: SetFrame): Html {
  const below = tab === undefined && html`<li><a href="./">${titleOf(set)}</a></li>`;
  return html`<nav class="crumbs" aria-label="Where this page is"><ol><li><a href="${frame.top}">All sets</a></li>${below}</ol></nav>`;
}

function tabs({ tab, open }: SetFrame): Html {
  const items = TABS.filter((one) => open.includes(one.tab)).map(({ tab: its, name, path }) => {
    const current = its === tab && html` aria-current="page"`;
    return html`<li><a href="./${path}"${current}>${name}</a></li>`;
  });
  return html`<nav class="tabs" aria-label="This set"><ul>${items}</ul></nav>`;
}

/** The frame of a page of a set, from the request that it responds to. */
export async function setFrameOf(
  app: ServedApp,
  { request, response }: { readonly request: Request; readonly response: Response },
  tab: Tab | undefined,
): Promise<SetFrame> {
  const set = setOf(response);
  const open = TABS.filter(({ action }) => may(senderOf(response), action, set)).map((one) => one.tab);
  const frame = await frameOf(app, request, response);
  const unread = frame.viewer.isAdministrator ? app.metrics.scans.unreadOf(set.id) : undefined;
  return { frame, set, tab, open, unread };
}
