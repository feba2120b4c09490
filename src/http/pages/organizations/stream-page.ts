import { describeFreed } from '../../../api/removal-view.ts';
import type { StreamDumpsView } from '../../../api/stream-dump-view.ts';
import type { UploadView } from '../../../api/upload-view.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Stream } from '../../../records/organization.ts';
import type { Freed } from '../../../records/removal/measure-stream.ts';
import { confirmed } from '../parts/confirmed.ts';
import { type Html, html } from '../parts/html.ts';
import { onward, queryOf } from '../parts/pager.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { removeSection } from '../parts/remove-section.ts';
import { figures } from '../parts/tables.ts';
import { copySection } from './copy-section.ts';
import { dumpsUnderWay, dumpTable, isChanging } from './dump-table.ts';
import { type OrganizationFrame, organizationTitle, renderOrganizationFrame } from './organization-frame.ts';
import { AGAIN, isOpen, uploadTable } from './upload-parts.ts';

interface StreamPage extends OrganizationFrame {
  readonly stream: Stream;
  readonly records: number;
  /** Newest first. */
  readonly uploads: readonly UploadView[];
  /** The uploads of this page have lower numbers. */
  readonly before: number | undefined;
  /** The `before` of the next page. */
  readonly next: number | undefined;
  /** Dumps of this stream, oldest first. */
  readonly dumps: StreamDumpsView;
  /** Sets of this stream that the reader may read. */
  readonly sets: readonly ResourceSet[];
  /** For those who manage it, if it can be removed: what that frees. */
  readonly freed: Freed | undefined;
  /** Why it was not removed. */
  readonly problem?: string | undefined;
}

/** A stream with its uploads, its own dumps, and its sets. */
export function renderStreamPage(page: StreamPage): string {
  const { organization, stream, uploads, records, before, next, frame, mayUpload, mayManage } = page;
  const name = stream.title ?? stream.id;
  const isDefault = organization.defaultStream === stream.id;
  const main = html`<p class="subtitle"><span class="id">${organization.id}/${stream.id}</span>${stream.archived !== undefined && ' · archived: it takes no uploads'}${stream.set !== undefined && html` · filled by the harvests of <a href="../../../../collections/${stream.set}/">${stream.set}</a>`}</p>
${problemNotice(page.problem)}
${stream.removing !== undefined && html`<div class="notice bad" role="status"><p>It is being removed: it takes no uploads.</p></div>`}
${figures([['records now', formatCount(records)]])}
${mayManage && !isDefault && stream.set === undefined && stream.removing === undefined && buttons(stream)}
<h2>Uploads</h2>
${
  uploads.length === 0
    ? html`<p class="quiet">There is no upload ${before === undefined ? 'yet' : 'before that'}. ${mayUpload && stream.archived === undefined && stream.set === undefined && html`<a href="../../upload?stream=${stream.id}">Upload files</a>, or run <code>tidemark upload ${organization.id} FILE --stream ${stream.id}</code>.`}</p>`
    : uploadTable('Uploads', uploads, { home: '../../', now: frame.now })
}
${onward(
  before === undefined ? undefined : { name: 'Latest', href: './' },
  next === undefined ? undefined : { name: 'Older', href: queryOf({ before: String(next) }) },
)}
${stream.set === undefined && dumpSection(page)}
${copySection('this stream', page.sets, frame)}
${page.freed !== undefined && removal(page, page.freed)}`;
  return renderOrganizationFrame(page, {
    above: [[organizationTitle(organization), '']],
    heading: html`${name} ${isDefault && html`<span class="state live">default</span>`}`,
    title: `${name} – ${organizationTitle(organization)}`,
    main,
    again: uploads.some(isOpen) || isChanging(page.dumps) ? AGAIN : undefined,
  });
}

function removal({ stream, problem }: StreamPage, freed: Freed): Html {
  return removeSection({
    ...{ what: 'stream', id: stream.id, action: './remove', isWrong: problem !== undefined },
    consequence: `What it has is lost for clients, for good: ${describeFreed(freed)}. Its id and those of its sets cannot be used again.`,
  });
}

function dumpSection({ dumps, organization, stream, frame }: StreamPage): Html {
  const command = html`<code>tidemark streams dump ${organization.id} --stream ${stream.id}</code>`;
  return html`<h2>Dumps of this stream</h2>
${dumpsUnderWay(dumps, frame)}
${dumps.dumps.length === 0 ? html`<p class="quiet">There is none: ${command} makes one. Those of the organization have the records of whichever stream is the default.</p>` : dumpTable(dumps.dumps, frame)}`;
}

function buttons({ id, archived }: Stream): Html {
  const undo = archived !== undefined;
  return html`<div class="buttons">${
    !undo &&
    confirmed({
      text: 'Make it the default',
      of: id,
      consequence: 'What the organization offers becomes the records of this stream, and so does its next dump.',
      confirm: 'Make it the default',
      action: './default',
    })
  }${confirmed({
    text: undo ? 'Take uploads again' : 'Archive',
    of: id,
    consequence: undo ? 'It takes uploads again.' : 'It takes no uploads until that is undone.',
    confirm: undo ? 'Take uploads again' : 'Archive it',
    action: undo ? './archive?undo=yes' : './archive',
    isHarmless: undo,
  })}</div>`;
}
