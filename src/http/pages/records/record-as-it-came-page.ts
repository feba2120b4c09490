import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Upload } from '../../../records/arrivals/upload.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { type FaultyRecord, isFaulty } from '../../../records/readable/readable-record.ts';
import {
  type OrganizationFrame,
  organizationTitle,
  renderOrganizationFrame,
} from '../organizations/organization-frame.ts';
import { erratumReason } from '../organizations/upload-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { facts } from '../parts/tables.ts';
import { sentence } from '../parts/words.ts';
import { recordFields } from './record-fields.ts';

export interface AsItCamePage extends OrganizationFrame {
  readonly upload: Upload;
  /** The position of its file, from 1, and the number of the record in it. */
  readonly file: number;
  readonly ordinal: number | undefined;
  readonly offset: number;
  /** A sentence without a full stop says why it cannot be shown. */
  readonly record: { readonly path: readonly string[]; readonly bytes: Buffer; readonly read: FaultyRecord } | string;
  /** What was found wrong with it. */
  readonly errata: readonly Erratum[];
}

/** Bytes that are shown as numbers. */
const MOST_HEX = 16_384;
const PER_LINE = 16;
/** What errata have a question mark for. */
const NO_CHARACTER_OF_TAGS = /[^\x21-\x7e]/g;

/** A record in an uploaded file, with what is wrong in it. */
export function renderAsItCamePage(page: AsItCamePage): string {
  const { upload, organization, file, ordinal, offset, record, errata, frame } = page;
  const { stream, number, name } = upload;
  const heading = ordinal === undefined ? 'A record as it came' : `Record ${formatCount(ordinal)} as it came`;
  const download = html`<a href="${frame.top}api/organizations/${organization.id}/uploads/${stream}/${number}/files/${file}">download the file</a>`;
  const main = html`${errata.map((erratum) => html`<div class="notice${!erratum.warning && ' bad'}"><p>${erratumReason({ ...erratum, reason: sentence(erratum.reason) })}</p></div>`)}
${facts([
  ['Id', errata.find(({ id }) => id !== undefined)?.id],
  ['File', typeof record === 'string' ? upload.files[file - 1]?.name : record.path.join(' > ')],
  ['Byte', formatCount(offset)],
])}
${typeof record === 'string' ? html`<p class="notice">${sentence(record)} You may ${download}.</p>` : shownRecord(record, errata)}`;
  return renderOrganizationFrame(page, {
    above: [
      [organizationTitle(organization), ''],
      [stream, `streams/${stream}/`],
      [name ?? `Upload ${number}`, `streams/${stream}/uploads/${number}/`],
    ],
    heading,
    title: `${heading} – ${organizationTitle(organization)}`,
    main,
  });
}

function shownRecord({ bytes, read }: Exclude<AsItCamePage['record'], string>, errata: readonly Erratum[]): Html {
  const fault = faultIn(read, errata);
  return html`${fault !== undefined && html`<p><a href="#fault">Go to the fault</a></p>`}
${recordFields({ fields: read.fields, label: 'The record, as far as it can be read', fault })}
<details><summary>Its bytes (${formatBytes(read.length)})</summary>${hexDump(bytes.subarray(0, read.length))}</details>`;
}

/** The index of the field that an erratum names; else of the first one with something wrong. */
function faultIn({ fields }: FaultyRecord, errata: readonly Erratum[]): number | undefined {
  const named = errata.find(({ field }) => field !== undefined);
  const faulty = fields.findIndex(isFaulty);
  if (named === undefined) return faulty === -1 ? undefined : faulty;
  let count = 0;
  const { field, occurrence = 1 } = named;
  const found = fields.findIndex(
    ({ tag }) => tag.replace(NO_CHARACTER_OF_TAGS, '?') === field && ++count === occurrence,
  );
  if (found !== -1) return found;
  return faulty === -1 ? undefined : faulty;
}

function hexDump(bytes: Buffer): Html {
  const shown = bytes.subarray(0, MOST_HEX);
  const lines: string[] = [];
  for (let at = 0; at < shown.length; at += PER_LINE) {
    const line = shown.subarray(at, at + PER_LINE);
    const hex = Array.from(line, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = line.toString('latin1').replaceAll(/[^\x20-\x7e]/g, '.');
    lines.push(`${String(at).padStart(6, '0')}  ${hex.padEnd(PER_LINE * 3)} ${text}`);
  }
  const rest = bytes.length - shown.length;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Bytes of the record"><pre class="log bytes">${lines.join('\n')}</pre></div>
${rest > 0 && html`<p class="quiet">${formatBytes(rest)} more are not shown here.</p>`}`;
}
