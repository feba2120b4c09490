import { type Command, InvalidArgumentError, Option } from 'commander';
import { TidemarkError } from '../../../core/errors.ts';
import type { ItemMapping, Normalization } from '../../../records/forms/marc/normalize/normalization.ts';
import { parseItems } from '../../../records/forms/marc/normalize/parse-items.ts';
import type { OrganizationFields } from '../../../records/organization.ts';
import { parseContact } from '../../../records/parse-contact.ts';
import { collect, oneOf } from '../../options.ts';

export interface OrganizationOptions {
  readonly title?: string;
  readonly contact?: readonly string[];
  readonly private?: true;
  readonly public?: true;
  readonly readers?: readonly string[];
  readonly normalization?: 'none' | 'pod';
  readonly code?: string;
  readonly items?: readonly ItemMapping[];
}

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
      'what is added to its records: none, or pod (the fields of POD, the Platform for Open Data)',
      oneOf('none', 'pod'),
    )
    .option('--code <code>', 'code of the organization, for 900 $b; with --normalization pod')
    .option(
      '--items <mapping>',
      'the field with items and its subfields, such as 952:i=p,a=o,m=a for a 998 with $i from $p, $a from $o, $m ' +
        'from $a; may be given several times, also with another field for 998, such as 952:949:i=p',
      collectItems,
    );
}

/** The given values. An empty text removes a field. */
export function givenFields(options: OrganizationOptions): Partial<OrganizationFields> {
  const { title, contact, private: isPrivate, public: isPublic, readers, ...normalization } = options;
  return {
    ...(title !== undefined && { title }),
    ...(contact !== undefined && { contacts: contact.filter((text) => text !== '').map(parseContact) }),
    ...((isPrivate || isPublic) && { private: isPrivate === true }),
    ...(readers !== undefined && { readers: readers.filter((group) => group !== '') }),
    ...givenNormalization(normalization),
  };
}

function givenNormalization({
  normalization,
  code,
  items = [],
}: Pick<OrganizationOptions, 'normalization' | 'code' | 'items'>): {
  readonly normalization?: Normalization | undefined;
} {
  if (normalization === 'pod') return { normalization: { kind: 'pod', ...(code && { code }), items } };
  if (code !== undefined || items.length > 0) {
    throw new TidemarkError('invalid', '--code and --items are parts of a normalization: add "--normalization pod"');
  }
  return normalization === undefined ? {} : { normalization: undefined };
}

function collectItems(text: string, before: readonly ItemMapping[] = []): readonly ItemMapping[] {
  try {
    return [...before, parseItems(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
