import type { Mark, ReadableField, ReadableSubfield, TextPart } from '../../../records/readable/readable-record.ts';
import { type Html, html } from '../parts/html.ts';
import { counted } from '../parts/words.ts';

/** Fields and characters that a page shows: a record may have megabytes. */
const MOST_FIELDS = 2_000;
const MOST_CHARACTERS = 200_000;

interface ShownRecord {
  readonly fields: readonly ReadableField[];
  /** For screen readers. */
  readonly label: string;
  /** The index of the field with the fault, which gets the anchor `fault`. */
  readonly fault?: number | undefined;
}

/** The fields of a record, one a line, each with what changed or is wrong in it. XML is lines of text. */
export function recordFields({ fields, label, fault }: ShownRecord): Html {
  const shown = fields.slice(0, countThatFit(fields));
  const rest = fields.length - shown.length;
  const isText = fields.every(({ tag }) => tag === '');
  return html`${isText ? textLines(shown, fault) : fieldTable(shown, label, fault)}
${rest > 0 && html`<p class="quiet">${counted(rest, isText ? 'line' : 'field')} more ${rest === 1 ? 'is' : 'are'} not shown here.</p>`}`;
}

function countThatFit(fields: readonly ReadableField[]): number {
  let characters = 0;
  for (const [at, { subfields }] of fields.entries()) {
    if (at === MOST_FIELDS) return at;
    for (const { parts } of subfields) for (const { text } of parts) characters += text.length + 4;
    if (characters > MOST_CHARACTERS) return Math.max(1, at);
  }
  return fields.length;
}

function textLines(lines: readonly ReadableField[], fault: number | undefined): Html {
  const shown = lines.map((line, at) => {
    const text = changed(line, html`${line.subfields.map(({ parts }) => parts.map(partText))}`);
    return html`${at === fault ? html`<span id="fault" class="fault">${text}</span>` : text}\n`;
  });
  return html`<pre class="log">${shown}</pre>`;
}

function fieldTable(fields: readonly ReadableField[], label: string, fault: number | undefined): Html {
  const anchors = new Set<string>();
  const compares = fields.some(({ change }) => change !== undefined);
  const rows = fields.map((field, at) => {
    const { tag, name, change, link } = field;
    const isAnchor = link !== undefined && !anchors.has(link.own) && anchors.add(link.own);
    const anchor = isAnchor && html` id="field-${link?.own}"`;
    return html`<tr${anchor}${at === fault && html` class="fault"`}>${compares && html`<td class="short">${changeMark(change)}</td>`}<th scope="row"${at === fault && html` id="fault"`}>${tag}</th><td class="code">${indicators(field)}</td><td class="name">${content(field)}</td><td class="wide hint">${name}</td></tr>\n`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="record${compares && ' compared'}">
<thead class="hidden"><tr>${compares && html`<th scope="col">Change</th>`}<th scope="col">Field</th><th scope="col">Indicators</th><th scope="col">Content</th><th scope="col" class="wide">What it is for</th></tr></thead>
<tbody>
${rows}</tbody></table></div>`;
}

function indicators({ indicators: now, indicatorsBefore: was }: ReadableField): Html | string | undefined {
  return was === undefined ? now : html`<del>${was}</del> <ins>${now}</ins>`;
}

function content(field: ReadableField): Html {
  const { problem, link, subfields } = field;
  const text = subfields.map((subfield) => html`${subfieldText(subfield, link)} `);
  return html`${changed(field, html`${text}`)}${problem !== undefined && html`<span class="more-of"><mark>${problem}</mark></span>`}`;
}

function subfieldText({ code, codeMark, parts }: ReadableSubfield, link: ReadableField['link']): Html {
  // Text from right to left must not change the order of the subfields around it.
  const value = html`<bdi>${parts.map(partText)}</bdi>`;
  const linked = code === '6' && link !== undefined ? html`<a href="#field-${link.other}">${value}</a>` : value;
  if (code === undefined) return linked;
  return html`${marked(html`<b class="code">$${code}</b>`, codeMark)} ${linked}`;
}

function partText({ text, mark }: TextPart): Html {
  return marked(html`${text}`, mark);
}

function marked(text: Html, mark: Mark | undefined): Html {
  switch (mark) {
    case undefined:
      return text;
    case 'added':
      return html`<ins>${text}</ins>`;
    case 'removed':
      return html`<del>${text}</del>`;
    case 'fault':
      return html`<mark>${text}</mark>`;
  }
}

/** A field that only one of both versions has. */
function changed({ change }: ReadableField, text: Html): Html {
  return change === 'added' || change === 'removed' ? marked(text, change) : text;
}

const STYLES = { added: 'created', changed: 'updated', removed: 'deleted' } as const;

function changeMark(change: ReadableField['change']): Html | undefined {
  return change && html`<span class="kind ${STYLES[change]}">${change}</span>`;
}
