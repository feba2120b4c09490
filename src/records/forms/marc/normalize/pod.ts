import type { NormalizationKind } from '../../normalization.ts';
import {
  ADDED_SUBFIELD_CODE,
  checkedNormalization,
  DATA_TAG,
  MOST_CODE,
  MOST_MAPPINGS,
  ORGANIZATION_CODE,
  type PodNormalization,
  SUBFIELD_CODE,
} from './normalization.ts';
import { formatItems, parseItems } from './parse-items.ts';

export type { PodNormalization } from './normalization.ts';

/** The fields that the POD aggregator adds. */
export const pod: NormalizationKind = {
  kind: 'pod',
  title: 'POD',
  effect: 'fields 900 and 998 are added',
  what: 'the fields of POD, the Platform for Open Data',
  fields: [
    {
      name: 'code',
      value: 'code',
      help: 'code of the organization, for 900 $b; with --normalization pod',
      label: 'Code of the organization',
      hint: 'For 900 $b, with the normalization POD.',
      most: MOST_CODE,
    },
    {
      name: 'items',
      value: 'mapping',
      help:
        'the field with items and its subfields, such as 952:i=p,a=o,m=a for a 998 with $i from $p, $a from $o, $m ' +
        'from $a; may be given several times, also with another field for 998, such as 952:949:i=p',
      label: 'Items',
      hint: 'The field that has the items, and of which of its subfields those of 998 are made, with the normalization POD. One in a line, such as: 952:i=p,a=o,m=a',
      check: parseItems,
    },
  ],

  checked: (normalization: PodNormalization) => checkedNormalization(normalization),

  parse({ code: codes = [], items = [] }): PodNormalization {
    const [code] = codes;
    return { kind: 'pod', ...(code && { code }), items: items.map(parseItems) };
  },

  format({ code, items }: PodNormalization) {
    return { code: code === undefined ? [] : [code], items: items.map(formatItems) };
  },

  describe({ code, items }: PodNormalization) {
    return [
      `normalization: POD, ${code === undefined ? 'without a code' : `with the code ${code}`}`,
      ...items.map(({ source, destination, subfields }) => {
        const codes = Object.entries(subfields).map(([to, from]) => `$${to} from $${from}`);
        return `items: ${source} as ${destination}, ${codes.join(', ')}`;
      }),
    ];
  },

  schema(zod) {
    const dataTag = zod.string().meta({ pattern: DATA_TAG });
    const itemMapping = zod.strictObject({
      source: dataTag.describe("Tag of the organization's field that has an item."),
      destination: dataTag.describe('Tag of the field that is added for each of them; POD has 998.'),
      subfields: zod
        .record(zod.string().meta({ pattern: ADDED_SUBFIELD_CODE }), zod.string().meta({ pattern: SUBFIELD_CODE }))
        .meta({ minProperties: 1 })
        .describe("By code of the added field: the code of the organization's field."),
    });
    return zod
      .strictObject({
        kind: zod.literal('pod'),
        code: zod
          .string()
          .meta({ pattern: ORGANIZATION_CODE, maxLength: MOST_CODE })
          .optional()
          .describe('Of the organization, for 900 $b.'),
        items: zod.array(itemMapping).max(MOST_MAPPINGS),
      })
      .meta({ id: 'Normalization', description: 'What is added to each record: the fields of the POD aggregator.' });
  },
};
