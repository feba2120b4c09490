import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { type SetSettingName, type SetValues, setSettingOf } from '../../../config/set/set-settings.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { type Html, html } from '../parts/html.ts';
import { linesOf } from '../parts/lines-of.ts';
import { labelOf, withLabels } from './setting-labels.ts';

/** The kind of field for a setting, derived from its schema. */
type FieldKind = 'yes-or-no' | 'one-of' | 'some-of' | 'lines' | 'number' | 'text';

interface Field {
  readonly kind: FieldKind;
  /** The values of which one or several can be chosen. */
  readonly choices: readonly string[];
}

/** The values of a form: a text for each field, several for checkboxes. */
export type FormValues = Pick<URLSearchParams, 'get' | 'getAll' | 'has'>;

interface Given {
  /** Returns the current value of a setting, or the one that was given. */
  value(name: SetSettingName): unknown;
  /** Name of the setting with an invalid value. */
  readonly wrong?: string | undefined;
}

/** The fields of settings. */
export function settingFields(names: readonly SetSettingName[], { value, wrong }: Given): readonly Html[] {
  return names.map((name) => {
    const { meaning } = setSettingOf(name);
    const { kind, choices } = fieldOf(name);
    // Pages cannot link to the files of the documentation.
    const text = withLabels(meaning.replace(/ \(docs\/[^)]*\)/, '').replaceAll('`', ''));
    const hint = html`<span class="hint" id="${name}-hint">${text}${kind === 'lines' && ' One in a line.'}${defaultText(name, kind)}</span>`;
    if (kind !== 'some-of') {
      return html`<p><label for="${name}">${labelOf(name)}</label>
${control(name, { kind, choices, isWrong: name === wrong }, value(name))}
${hint}</p>`;
    }
    const chosen = (value(name) as readonly string[] | undefined) ?? [];
    const boxes = choices.map(
      (choice) =>
        html`<label class="box"><input type="checkbox" name="${name}" value="${choice}"${chosen.includes(choice) && html` checked`}> ${choice}</label> `,
    );
    return html`<fieldset aria-describedby="${name}-hint"><legend>${labelOf(name)}</legend><input type="hidden" name="${name}" value="">${boxes}${hint}</fieldset>`;
  });
}

/**
 * The values of a form that differ from the current ones, in the format of the JSON API: an empty field is null, and a
 * missing field changes nothing. Wrong values are kept, so that the schema reports them.
 */
export function valuesOfForm(
  form: FormValues,
  names: readonly SetSettingName[],
  present: SetValues = {},
): Readonly<Record<string, unknown>> {
  const given = names.filter((name) => form.has(name)).map((name) => [name, givenValue(form, name)] as const);
  return Object.fromEntries(given.filter(([name, value]) => !isDeepStrictEqual(value, present[name] ?? emptyOf(name))));
}

/** The value of a field when the setting has none. */
function emptyOf(name: SetSettingName): unknown {
  const { kind } = fieldOf(name);
  if (kind === 'yes-or-no') return false;
  return kind === 'lines' || kind === 'some-of' ? [] : null;
}

export function givenValue(form: FormValues, name: SetSettingName): unknown {
  const text = form.get(name)?.trim() ?? '';
  switch (fieldOf(name).kind) {
    case 'yes-or-no':
      return text === 'yes';
    case 'some-of':
      return form.getAll(name).filter((choice) => choice !== '');
    case 'lines':
      return linesOf(form, name);
    case 'number':
      return text === '' ? null : /^\d{1,15}$/.test(text) ? Number(text) : text;
    case 'one-of':
    case 'text':
      return text === '' ? null : text;
  }
}

/** The default as the form shows it; nothing for an empty field, or for the first choice. */
function defaultText(name: SetSettingName, kind: FieldKind): string {
  const byDefault = setSettingOf(name).default.replace(/^\(|\)$/g, '');
  if (byDefault === 'none' || kind === 'yes-or-no') return '';
  return ` Default: ${kind === 'number' && /^\d+$/.test(byDefault) ? formatCount(Number(byDefault)) : byDefault}.`;
}

function control(
  name: SetSettingName,
  { kind, choices, isWrong }: Field & { readonly isWrong: boolean },
  value: unknown,
): Html {
  const known = html` id="${name}" name="${name}" aria-describedby="${name}-hint"${isWrong && html` aria-invalid="true"`}`;
  switch (kind) {
    case 'yes-or-no':
      return select(known, ['no', 'yes'], value === true ? 'yes' : 'no');
    case 'one-of':
      return select(known, ['', ...choices], String(value ?? ''));
    case 'lines':
      return html`<textarea${known} rows="3" spellcheck="false">${((value as readonly string[] | undefined) ?? []).join('\n')}</textarea>`;
    case 'number':
      return html`<input${known} inputmode="numeric" value="${String(value ?? '')}" autocomplete="off">`;
    default:
      return html`<input${known} value="${String(value ?? '')}" autocomplete="off" spellcheck="false">`;
  }
}

function select(known: Html, choices: readonly string[], value: string): Html {
  const options = choices.map(
    (choice) =>
      html`<option value="${choice}"${choice === value && html` selected`}>${choice === '' ? '(default)' : choice}</option>`,
  );
  return html`<select${known}>${options}</select>`;
}

interface Definition {
  readonly type: string;
  readonly element?: { readonly _zod: { readonly def: Definition } };
  readonly entries?: Readonly<Record<string, string>>;
}

function fieldOf(name: SetSettingName): Field {
  const { type, element, entries = {} } = definitionOf(setSettingOf(name).schema);
  const items = element?._zod.def;
  switch (type) {
    case 'boolean':
      return { kind: 'yes-or-no', choices: [] };
    case 'number':
      return { kind: 'number', choices: [] };
    case 'enum':
      return { kind: 'one-of', choices: Object.values(entries) };
    case 'array':
      return items?.type === 'enum'
        ? { kind: 'some-of', choices: Object.values(items.entries ?? {}) }
        : { kind: 'lines', choices: [] };
    default:
      return { kind: 'text', choices: [] };
  }
}

function definitionOf(schema: z.ZodType): Definition {
  return schema._zod.def as Definition;
}
