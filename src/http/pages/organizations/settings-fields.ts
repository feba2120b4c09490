import type { Normalization, NormalizationField } from '../../../records/forms/normalization.ts';
import { NORMALIZATIONS, normalizationOf } from '../../../records/forms/record-forms.ts';
import { MOST_MESSAGE_URL } from '../../../records/message-settings.ts';
import type { Organization } from '../../../records/organization.ts';
import type { OrganizationChanges } from '../../../records/organization-registry.ts';
import { type DumpSettingChanges, MOST_CRON, MOST_KEPT, USUAL_KEEP } from '../../../records/stream-dump-settings.ts';
import { type Html, html } from '../parts/html.ts';
import { linesOf } from '../parts/lines-of.ts';

type Value = (name: string) => string;

/** The current values of the form of an organization, by field name. */
export function presentSettings({ normalization, dumps, messages }: Organization): Readonly<Record<string, string>> {
  return {
    normalization: normalization?.kind ?? 'none',
    ...presentFields(normalization),
    fullDump: dumps?.full ?? '',
    delta: dumps?.delta ?? '',
    keepDumps: dumps?.keep === undefined ? '' : String(dumps.keep),
    notifyUrl: messages?.url ?? '',
    notifyMail: messages?.mail ? 'yes' : 'no',
    notifyErrors: messages?.errors ? 'yes' : 'no',
  };
}

function presentFields(normalization: Normalization | undefined): Readonly<Record<string, string>> {
  const entered = normalization === undefined ? {} : normalizationOf(normalization.kind).format(normalization);
  return Object.fromEntries(FIELDS.map(({ name }) => [name, (entered[name] ?? []).join('\n')]));
}

const FIELDS = NORMALIZATIONS.flatMap(({ fields }) => fields);

/** Fields for the normalization of its records, and the schedules of its dumps. */
export function settingsFields(value: Value): Html {
  return html`${normalizationFields(value)}
${dumpFields(value)}
${messageFields(value)}`;
}

function messageFields(value: Value): Html {
  const choice = (name: string, label: string, no: string, yes: string) =>
    html`<p><label for="${name}">${label}</label> <select id="${name}" name="${name}"><option value="no">${no}</option><option value="yes"${value(name) === 'yes' && html` selected`}>${yes}</option></select></p>`;
  return html`<h2>When an upload has failed</h2>
${choice('notifyMail', 'Mail', 'no mail is sent', 'contacts with an address get mail')}
<p><label for="notifyUrl">URL</label>
<input id="notifyUrl" name="notifyUrl" maxlength="${MOST_MESSAGE_URL}" value="${value('notifyUrl')}" autocomplete="off" spellcheck="false" aria-describedby="notifyUrl-hint">
<span class="hint" id="notifyUrl-hint">Where a message is posted as JSON, such as https://example.org/messages. A secret that signs it is set by the API or the command line.</span></p>
${choice('notifyErrors', 'Also when', 'only then', 'it was processed, and records of it could not be read')}`;
}

function normalizationFields(value: Value): Html {
  const option = (text: string, words: string) =>
    html`<option value="${text}"${value('normalization') === text && html` selected`}>${words}</option>`;
  return html`<h2>Records</h2>
<p><label for="normalization">Normalization</label> <select id="normalization" name="normalization" aria-describedby="normalization-hint">${option('none', 'none: records stay as they are')}${NORMALIZATIONS.map(({ kind, title, effect }) => option(kind, `${title}: ${effect}`))}</select>
<span class="hint" id="normalization-hint">For the uploads that are processed from now on. Earlier ones follow when their stream is processed again: <code>tidemark streams process-again</code>.</span></p>${FIELDS.map((field) => fieldOf(field, value(field.name)))}`;
}

function fieldOf({ name, label, hint, most }: NormalizationField, value: string): Html {
  const input =
    most === undefined
      ? html`<textarea id="${name}" name="${name}" rows="2" spellcheck="false" aria-describedby="${name}-hint">${value}</textarea>`
      : html`<input id="${name}" name="${name}" maxlength="${most}" value="${value}" autocomplete="off" spellcheck="false" aria-describedby="${name}-hint">`;
  return html`
<p><label for="${name}">${label}</label>
${input}
<span class="hint" id="${name}-hint">${hint}</span></p>`;
}

function dumpFields(value: Value): Html {
  const cron = (name: string, label: string, hint: string) =>
    html`<p><label for="${name}">${label}</label>
<input class="code" id="${name}" name="${name}" maxlength="${MOST_CRON}" value="${value(name)}" autocomplete="off" spellcheck="false" aria-describedby="${name}-hint">
<span class="hint" id="${name}-hint">${hint}</span></p>`;
  return html`<h2>Dumps of the default stream</h2>
${cron('fullDump', 'Full dumps are made', 'As in crontab, such as 0 3 1 * * for 3:00 on the first day of each month, or off: when it is asked for. Empty: as the server has it for all organizations (--full-dumps).')}
${cron('delta', 'Deltas are made', 'Such as 0 5 * * * for 5:00 each day, or off. Empty: as for all organizations (--deltas).')}
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
    ...givenMessages(form),
  };
}

function givenMessages(form: URLSearchParams): Pick<OrganizationChanges, 'messages'> {
  if (!form.has('notifyUrl')) return {};
  const url = form.get('notifyUrl')!.trim() || null;
  const [mail, errors] = [form.get('notifyMail') === 'yes', form.get('notifyErrors') === 'yes'];
  return { messages: { url, mail, errors } };
}

/** What was entered stays in the form when a user chooses no normalization, and is then ignored. */
function givenNormalization(form: URLSearchParams): Normalization | undefined {
  const kind = form.get('normalization');
  if (kind === null || !NORMALIZATIONS.some((known) => known.kind === kind)) return undefined;
  const { fields, parse } = normalizationOf(kind);
  return parse(Object.fromEntries(fields.map(({ name }) => [name, linesOf(form, name)])));
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
