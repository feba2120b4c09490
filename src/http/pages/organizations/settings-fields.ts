import { type DumpSettingChanges, MOST_CRON, MOST_KEPT, USUAL_KEEP } from '../../../records/dump-settings.ts';
import { MOST_CODE, type Normalization } from '../../../records/forms/marc/normalize/normalization.ts';
import { formatItems, parseItems } from '../../../records/forms/marc/normalize/parse-items.ts';
import type { Organization } from '../../../records/organization.ts';
import type { OrganizationChanges } from '../../../records/organization-registry.ts';
import { type Html, html } from '../parts/html.ts';
import { linesOf } from '../parts/lines-of.ts';

type Value = (name: string) => string;

/** The current values of the form of an organization, by field name. */
export function presentSettings({ normalization, dumps }: Organization): Readonly<Record<string, string>> {
  return {
    normalization: normalization?.kind ?? 'none',
    code: normalization?.code ?? '',
    items: (normalization?.items ?? []).map(formatItems).join('\n'),
    fullDump: dumps?.full ?? '',
    delta: dumps?.delta ?? '',
    keepDumps: dumps?.keep === undefined ? '' : String(dumps.keep),
  };
}

/** Fields for the normalization of its records, and the schedules of its dumps. */
export function settingsFields(value: Value): Html {
  return html`${normalizationFields(value)}
${dumpFields(value)}`;
}

function normalizationFields(value: Value): Html {
  const option = (text: string, words: string) =>
    html`<option value="${text}"${value('normalization') === text && html` selected`}>${words}</option>`;
  return html`<h2>Records</h2>
<p><label for="normalization">Normalization</label> <select id="normalization" name="normalization" aria-describedby="normalization-hint">${option('none', 'none: records stay as they are')}${option('pod', 'POD: fields 900 and 998 are added')}</select>
<span class="hint" id="normalization-hint">For the uploads that are processed from now on.</span></p>
<p><label for="code">Code of the organization</label>
<input id="code" name="code" maxlength="${MOST_CODE}" value="${value('code')}" autocomplete="off" spellcheck="false" aria-describedby="code-hint">
<span class="hint" id="code-hint">For 900 $b, with the normalization POD.</span></p>
<p><label for="items">Items</label>
<textarea id="items" name="items" rows="2" spellcheck="false" aria-describedby="items-hint">${value('items')}</textarea>
<span class="hint" id="items-hint">The field that has the items, and of which of its subfields those of 998 are made, with the normalization POD. One in a line, such as: 952:i=p,a=o,m=a</span></p>`;
}

function dumpFields(value: Value): Html {
  const cron = (name: string, label: string, hint: string) =>
    html`<p><label for="${name}">${label}</label>
<input class="code" id="${name}" name="${name}" maxlength="${MOST_CRON}" value="${value(name)}" autocomplete="off" spellcheck="false" aria-describedby="${name}-hint">
<span class="hint" id="${name}-hint">${hint}</span></p>`;
  return html`<h2>Dumps of the default stream</h2>
${cron('fullDump', 'Full dumps are made', 'As in crontab, such as 0 3 1 * * for 3:00 on the first day of each month. Empty: when it is asked for.')}
${cron('delta', 'Deltas are made', 'Such as 0 5 * * * for 5:00 each day. Empty: when it is asked for.')}
<p><label for="keepDumps">Full dumps that are kept</label>
<input id="keepDumps" name="keepDumps" type="number" min="1" max="${MOST_KEPT}" value="${value('keepDumps')}" placeholder="${USUAL_KEEP}" aria-describedby="keepDumps-hint">
<span class="hint" id="keepDumps-hint">With all deltas after the oldest of them.</span></p>`;
}

/** The changes of a form; missing fields do not change. @throws TidemarkError `invalid` for a mapping of items */
export function givenSettings(form: URLSearchParams, before: Organization): OrganizationChanges {
  const dumps = givenDumps(form, before);
  return {
    ...(form.has('normalization') && { normalization: givenNormalization(form) }),
    ...(Object.keys(dumps).length > 0 && { dumps }),
  };
}

/** Code and items stay in the form when a user chooses no normalization, and are then ignored. */
function givenNormalization(form: URLSearchParams): Normalization | undefined {
  if (form.get('normalization') !== 'pod') return undefined;
  const code = form.get('code')?.trim();
  return { kind: 'pod', ...(code && { code }), items: linesOf(form, 'items').map(parseItems) };
}

/** Only the differences: setting a schedule again would restart it, and leave out missed times. */
function givenDumps(form: URLSearchParams, before: Organization): DumpSettingChanges {
  const present = presentSettings(before);
  const given = (name: string) => {
    const text = form.get(name)?.trim();
    return text === undefined || text === present[name] ? undefined : text;
  };
  const [full, delta, keep] = [given('fullDump'), given('delta'), given('keepDumps')];
  return {
    ...(full !== undefined && { full: full || null }),
    ...(delta !== undefined && { delta: delta || null }),
    ...(keep !== undefined && { keep: keep === '' ? null : Number(keep) }),
  };
}
