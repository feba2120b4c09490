import { type Command, InvalidArgumentError, Option } from 'commander';
import { TidemarkError } from '../../../core/errors.ts';
import type { Normalization, NormalizationField } from '../../../records/forms/normalization.ts';
import { NORMALIZATIONS, normalizationOf } from '../../../records/forms/record-forms.ts';
import type { OrganizationFields } from '../../../records/organization.ts';
import { parseContact } from '../../../records/parse-contact.ts';
import { collect, oneOf } from '../../options.ts';

export interface OrganizationOptions {
  readonly title?: string;
  readonly contact?: readonly string[];
  readonly private?: true;
  readonly public?: true;
  readonly readers?: readonly string[];
  readonly normalization?: string;
  /** The fields of normalizations. */
  readonly [field: string]: unknown;
}

const KINDS = NORMALIZATIONS.map(({ kind }) => kind);

export function addOrganizationOptions(command: Command): void {
  command
    .option('--title <text>', 'what people call it')
    .option('--contact <contact>', "whom to ask, such as 'Ada <ada@example.org>'; may be given several times", collect)
    .addOption(
      new Option('--private', 'only tokens of the organization, and of its readers, may read it').conflicts('public'),
    )
    .option('--public', 'everybody may read it')
    .option(
      '--readers <group>',
      "a group that may read it while it is private: tokens with the scope group:GROUP; may be given several times, '' for none",
      collect,
    )
    .option(
      '--normalization <kind>',
      `what is added to its records: none, or ${NORMALIZATIONS.map(({ kind, what }) => `${kind} (${what})`).join(', or ')}`,
      oneOf('none', ...KINDS),
    );
  for (const field of NORMALIZATIONS.flatMap(({ fields }) => fields)) {
    const { name, value, help, most } = field;
    command.addOption(
      new Option(`--${name} <${value}>`, help).argParser(most === undefined ? collectChecked(field) : oneText),
    );
  }
}

/** The given values. An empty text removes a field. */
export function givenFields(options: OrganizationOptions): Partial<OrganizationFields> {
  const { title, contact, private: isPrivate, public: isPublic, readers } = options;
  return {
    ...(title !== undefined && { title }),
    ...(contact !== undefined && { contacts: contact.filter((text) => text !== '').map(parseContact) }),
    ...((isPrivate || isPublic) && { private: isPrivate === true }),
    ...(readers !== undefined && { readers: readers.filter((group) => group !== '') }),
    ...givenNormalization(options),
  };
}

function givenNormalization(options: OrganizationOptions): { readonly normalization?: Normalization | undefined } {
  const kind = options.normalization;
  const entered = (name: string) => (options[name] ?? []) as readonly string[];
  if (kind !== undefined && kind !== 'none') {
    const { fields, parse } = normalizationOf(kind);
    return { normalization: parse(Object.fromEntries(fields.map(({ name }) => [name, entered(name)]))) };
  }
  for (const { kind: needed, fields } of NORMALIZATIONS) {
    if (fields.every(({ name }) => entered(name).length === 0)) continue;
    const names = fields.map(({ name }) => `--${name}`).join(' and ');
    const message = `${names} are parts of a normalization: add "--normalization ${needed}"`;
    throw new TidemarkError('invalid', message);
  }
  return kind === undefined ? {} : { normalization: undefined };
}

const oneText = (text: string): readonly string[] => [text];

function collectChecked({ check }: NormalizationField) {
  return (text: string, before: readonly string[] = []): readonly string[] => {
    try {
      check?.(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
    return [...before, text];
  };
}
