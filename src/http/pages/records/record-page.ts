import type { Change } from '../../../core/change.ts';
import { formatStamp } from '../../../core/stamp.ts';
import { type ComparedFields, compareFields } from '../../../records/readable/compare-fields.ts';
import type { ReadableField } from '../../../records/readable/readable-record.ts';
import { uploadOfChange } from '../../../records/upload-of-change.ts';
import { type Html, html } from '../parts/html.ts';
import { queryOf } from '../parts/pager.ts';
import { nameOf } from '../parts/resource-parts.ts';
import { renderSetFrame, type SetFrame } from '../parts/set-frame.ts';
import { facts } from '../parts/tables.ts';
import { counted, exactTime, formatTime } from '../parts/words.ts';
import { recordFields } from './record-fields.ts';
import { uploadLink } from './upload-link.ts';

/** A version of a record. */
export interface RecordVersion {
  readonly change: Change;
  /** Undefined for a deletion; a text says why its bytes cannot be shown. */
  readonly fields: readonly ReadableField[] | string | undefined;
}

export interface RecordPage extends SetFrame {
  readonly version: RecordVersion;
  /** The version that it is compared with; undefined when it is shown alone. */
  readonly from: RecordVersion | undefined;
  /** The newest changes of the record, newest first, to choose versions from. */
  readonly history: readonly Change[];
}

/** A record as it was after a change, or what differs between two versions of it. */
export function renderRecordPage(page: RecordPage): string {
  const { version, from, frame } = page;
  const { key } = version.change;
  const main = html`<p><a href="./resource${queryOf({ key })}">The record now, and its history</a></p>
${facts([
  ...(from === undefined ? [] : [['Before', versionName(from.change, page)] as const]),
  [from === undefined ? 'Version' : 'After', versionName(version.change, page)],
])}
${from === undefined ? alone(version) : compared(from, version)}
${chooser(page)}`;
  return renderSetFrame(page, main, { above: nameOf(key) });

  function versionName(change: Change, { set: { origin } }: RecordPage): Html {
    const upload = uploadOfChange(origin, change);
    return html`${upload && html`${uploadLink(upload, origin, frame)}: `}${change.kind}, ${exactTime(change.stamp, frame.now)}`;
  }
}

function alone({ fields }: RecordVersion): Html {
  if (fields === undefined) return html`<p class="notice">This change deleted the record.</p>`;
  if (typeof fields === 'string') return html`<p class="notice">${fields}</p>`;
  return html`<h2>Record</h2>
${recordFields({ fields, label: 'The record, field by field' })}`;
}

function compared(before: RecordVersion, after: RecordVersion): Html {
  for (const { fields } of [before, after])
    if (typeof fields === 'string') return html`<p class="notice">${fields}</p>`;
  const comparison = compareFields(fieldsIn(before), fieldsIn(after));
  return html`<h2>What differs</h2>
<p>${summary(comparison)}</p>
${recordFields({ fields: comparison.fields, label: 'Both versions, field by field' })}`;
}

/** A deleted record has none. */
function fieldsIn({ fields }: RecordVersion): readonly ReadableField[] {
  return typeof fields === 'object' ? fields : [];
}

function summary({ fields, isOther }: ComparedFields): string {
  if (isOther) return 'They differ in so much that all of both is shown.';
  const parts = (['added', 'changed', 'removed'] as const).flatMap((change) => {
    const count = fields.filter((field) => field.change === change).length;
    return count === 0 ? [] : [`${counted(count, 'field')} ${change}`];
  });
  return parts.length === 0 ? 'Both versions have the same fields.' : `${parts.join(', ')}.`;
}

function chooser({ version, from, history, set: { origin } }: RecordPage): Html | undefined {
  const { key } = version.change;
  if (history.length < 2) return undefined;
  const options = (chosen: Change | undefined) =>
    history.map((change) => {
      const upload = uploadOfChange(origin, change);
      const name = [upload && `upload ${upload.number}`, change.kind, formatTime(change.stamp / 1000)].filter(Boolean);
      const isChosen = change.stamp === chosen?.stamp && html` selected`;
      return html`<option value="${formatStamp(change.stamp)}"${isChosen}>${name.join(', ')}</option>`;
    });
  return html`<h2>Compare versions</h2>
<form class="fields" action="./record">
<input type="hidden" name="key" value="${key}">
<p><label for="from">Before</label><select id="from" name="from">${options(from?.change ?? olderThan(version, history))}</select></p>
<p><label for="at">After</label><select id="at" name="at">${options(version.change)}</select></p>
<p><button>Compare</button></p>
</form>`;
}

function olderThan({ change }: RecordVersion, history: readonly Change[]): Change | undefined {
  return history.find(({ stamp }) => stamp < change.stamp);
}
