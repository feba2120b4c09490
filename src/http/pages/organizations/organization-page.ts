import type { RunView } from '../../../api/activity-run-view.ts';
import type { StreamDumpsView } from '../../../api/stream-dump-view.ts';
import type { UploadView } from '../../../api/upload-view.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { FIRST_STREAM } from '../../../records/arrivals/first-stream.ts';
import type { ErrataOfUpload } from '../../../records/arrivals/latest-errata.ts';
import { mostOfStream } from '../../../records/organization.ts';
import { confirmed } from '../parts/confirmed.ts';
import { type Html, html } from '../parts/html.ts';
import { facts, figures, stackingTable } from '../parts/tables.ts';
import { counted, timeOf } from '../parts/words.ts';
import { copySection } from './copy-section.ts';
import { dumpsUnderWay, dumpTable, isChanging } from './dump-table.ts';
import { errataSection } from './errata-section.ts';
import {
  type OrganizationFrame,
  organizationTitle,
  privateBadge,
  renderOrganizationFrame,
} from './organization-frame.ts';
import { isOpen as isOpenRun, runTable } from './run-parts.ts';
import { AGAIN, isOpen, uploadTable } from './upload-parts.ts';

interface OrganizationPage extends OrganizationFrame {
  /** Number of live records of streams, by stream id. */
  readonly records: ReadonlyMap<string, number>;
  /** The newest uploads of the default stream, newest first. */
  readonly uploads: readonly UploadView[];
  /** Dumps of the default stream, oldest first. */
  readonly dumps: StreamDumpsView;
  /** Errata of the newest uploads that have any. */
  readonly errata: readonly ErrataOfUpload[];
  /** Sets of the default stream that the reader may read. */
  readonly sets: readonly ResourceSet[];
  /** The newest runs of activities. */
  readonly runs: readonly RunView[];
  /** The action that was just done. */
  readonly did?: string | undefined;
}

/** Number of uploads that the page lists, out of those that it counts. */
const LISTED = 10;

/** An overview of an organization. */
export function renderOrganizationPage(page: OrganizationPage): string {
  const { organization, frame, uploads, runs, records, mayUpload, did } = page;
  const { defaultStream } = organization;
  // A page does not read all uploads: `GET …/statistics` counts them.
  const isAll = uploads.length >= (uploads[0]?.number ?? 0);
  const main = html`${did !== undefined && html`<p class="notice good" role="status">${did}</p>`}
<p class="subtitle"><span class="id">${organization.id}</span> ${contacts(page)}</p>
${
  defaultStream !== undefined &&
  figures([
    ['records now', formatCount(records.get(defaultStream) ?? 0)],
    ['uploads', formatCount(uploads[0]?.number ?? 0)],
    [
      isAll ? 'failed' : `failed of the last ${formatCount(uploads.length)}`,
      formatCount(uploads.filter(({ status }) => status === 'failed').length),
    ],
    ['last upload', uploads[0] === undefined ? 'never' : (timeOf(uploads[0].received, frame.now) ?? '')],
  ])
}
${mayUpload && html`<p><a class="button" href="./upload">Upload files</a></p>`}
${streamSection(page)}
${defaultStream !== undefined && uploadSection(page, defaultStream)}
${errataSection(page.errata)}
${runSection(page)}
${defaultStream !== undefined && dumpSection(page)}
${defaultStream !== undefined && copySection('the default stream', page.sets, frame)}
${page.mayManage && administration(page)}`;
  return renderOrganizationFrame(page, {
    above: [],
    heading: html`${organizationTitle(organization)} ${privateBadge(organization)}`,
    title: organizationTitle(organization),
    main,
    again: uploads.slice(0, LISTED).some(isOpen) || runs.some(isOpenRun) || isChanging(page.dumps) ? AGAIN : undefined,
  });
}

function contacts({ organization, seesAddresses }: OrganizationPage): Html {
  return html`${organization.contacts.map(({ name, email }) =>
    seesAddresses && email !== undefined ? html` · <a href="mailto:${email}">${name}</a>` : html` · ${name}`,
  )}`;
}

function streamSection({ organization, frame, records, runs, mayUpload }: OrganizationPage): Html | undefined {
  const { streams, defaultStream, id } = organization;
  if (streams.length === 0 && runs.length > 0) return undefined;
  if (streams.length === 0) {
    return html`<div class="notice"><p>Nothing was uploaded yet. The first upload makes the stream ${FIRST_STREAM}, or the one that it names.${mayUpload && html` Upload files here, or run <code>tidemark upload ${id} FILE</code>.`}</p></div>`;
  }
  return html`<h2>Streams</h2>
${stackingTable('Streams', streams, [
  {
    name: 'Stream',
    style: 'name title',
    isHead: true,
    cell: ({ id, title, archived }) =>
      html`<a href="./streams/${id}/">${title ?? id}</a> ${title !== undefined && html`<span class="id">${id}</span>`} ${id === defaultStream && html`<span class="state live">default</span>`}${archived !== undefined && html`<span class="state quiet">archived</span>`}`,
  },
  { name: 'Records', style: 'number', cell: ({ id }) => formatCount(records.get(id) ?? 0) },
  {
    name: 'Made',
    style: 'short',
    cell: ({ created }) => timeOf(new Date(created).toISOString(), frame.now),
  },
])}`;
}

function uploadSection({ uploads, frame, mayUpload, organization }: OrganizationPage, stream: string): Html {
  const withErrors = uploads.filter(({ totals }) => (totals?.errors ?? 0) > 0).length;
  return html`<h2>Latest uploads</h2>
${
  uploads.length === 0
    ? html`<p class="quiet">Nothing was uploaded to the default stream yet. ${mayUpload && html`<a href="./upload">Upload files here</a>, or run <code>tidemark upload ${organization.id} FILE</code>.`}</p>`
    : uploadTable('Latest uploads', uploads.slice(0, LISTED), { home: './', now: frame.now })
}
${uploads.length > 0 && html`<p class="more"><a href="./streams/${stream}/">All uploads of the stream</a>${withErrors > 0 && html` · <span class="quiet">${counted(withErrors, 'upload')} of the last ${formatCount(uploads.length)} with errors</span>`}</p>`}`;
}

function runSection({ runs, frame }: OrganizationPage): Html | undefined {
  const all = html`<p class="more"><a href="./activities/">All runs of activities</a></p>`;
  if (runs.length === 0) return frame.viewer.isAdministrator ? all : undefined;
  return html`<h2>Latest runs of activities</h2>
${runTable(runs, { home: './activities/', now: frame.now })}
${all}`;
}

function dumpSection({ dumps, organization, frame }: OrganizationPage): Html {
  return html`<h2>Dumps</h2>
<p class="quiet">A full dump and every delta after it, in this order, are all records of the default stream.</p>
${dumpsUnderWay(dumps, frame)}
${
  dumps.dumps.length === 0
    ? html`<p class="quiet">There is no dump yet. An administrator makes one below, or with <code>tidemark streams dump ${organization.id}</code>.</p>`
    : dumpTable(dumps.dumps, frame)
}`;
}

function administration({ organization, frame }: OrganizationPage): Html {
  const { id, defaultStream } = organization;
  return html`<h2>Manage</h2>
<form class="fields" method="post" action="./streams">
<p><label for="stream">Id of a new stream</label>
<input id="stream" name="stream" required maxlength="${mostOfStream(id)}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="stream-hint">
<span class="hint" id="stream-hint">Such as full-2026: small letters, digits, dots, hyphens and underscores. It stays. The first one is the default.</span></p>
<p><label for="title">Title</label> <input id="title" name="title" maxlength="500" autocomplete="off"></p>
<p><button>Add the stream</button></p>
</form>
${
  defaultStream !== undefined &&
  html`<div class="buttons">${(['delta', 'full'] as const).map((kind) =>
    confirmed({
      text: kind === 'full' ? 'Make a full dump now' : 'Make a delta now',
      of: 'of the default stream',
      consequence: kind === 'full' ? 'It has all records.' : 'It has what has changed since the last dump.',
      confirm: 'Make it',
      action: `./dumps/${kind}`,
      isHarmless: true,
    }),
  )}</div>`
}
<h3>Tokens</h3>
<p class="quiet">Make them on the page of <a href="${frame.top}tokens">tokens</a>, with the scope <code>upload:${id}</code>, <code>download:${id}</code> or <code>manage:${id}</code>${frame.viewer.isAdministrator && ', or by a command'}.</p>
${frame.viewer.isAdministrator && commandsOfTokens(id)}
<p class="more"><a href="./settings">Change title, contacts, readers, normalization and dumps</a></p>`;
}

function commandsOfTokens(id: string): Html {
  return facts([
    [
      'To upload',
      html`<code class="copied">tidemark tokens create --name 'uploads of ${id}' --scope upload:${id}</code>`,
    ],
    [
      'To read',
      html`<code class="copied">tidemark tokens create --name 'reader of ${id}' --scope download:${id}</code>`,
    ],
    [
      'To manage it',
      html`<code class="copied">tidemark tokens create --name 'manages ${id}' --scope manage:${id}</code>`,
    ],
  ]);
}
