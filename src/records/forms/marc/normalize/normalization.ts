import { TidemarkError } from '../../../../core/errors.ts';
import type { Normalization } from '../../normalization.ts';

/**
 * Adds fields to each record that consumers of the POD aggregator know, and that are the same for all organizations:
 * the organization, and the items of the record.
 */
export interface PodNormalization extends Normalization {
  readonly kind: 'pod';
  /** Code of the organization, for 900 $b; without it, that subfield is left out. */
  readonly code?: string | undefined;
  readonly items: readonly ItemMapping[];
}

/** Maps a field that describes one item each to an added field. */
export interface ItemMapping {
  /** Tag of the organization's field. */
  readonly source: string;
  /** Tag of the field that is added for each source field. */
  readonly destination: string;
  /** Codes of the organization's subfields, by code of the added field. */
  readonly subfields: Readonly<Record<string, string>>;
}

/** The field of items in POD. Its $i is the local identifier, $a the call number, $m the library. */
export const USUAL_DESTINATION = '998';
export const MOST_MAPPINGS = 20;
export const MOST_CODE = 50;
/** Pattern of a code: printable ASCII without blanks around it. The description of the API contains it, too. */
export const ORGANIZATION_CODE = `^[!-~](?:[ -~]{0,${MOST_CODE - 2}}[!-~])?$`;
/** Pattern of the tag of a data field. */
export const DATA_TAG = '^(?!00)[0-9A-Za-z]{3}$';
export const SUBFIELD_CODE = '^[0-9A-Za-z]$';
/** Excludes $5 and $8: in the added field, they name POD and the source field. */
export const ADDED_SUBFIELD_CODE = '^[0-4679A-Za-z]$';

/** @throws TidemarkError `invalid` */
export function checkedNormalization({ kind, code, items }: PodNormalization): PodNormalization {
  if (code !== undefined && !new RegExp(ORGANIZATION_CODE).test(code)) {
    throw invalid(`the code of an organization is 1 to ${MOST_CODE} characters of printable ASCII`);
  }
  if (items.length > MOST_MAPPINGS) throw invalid(`there are more than ${MOST_MAPPINGS} fields of items`);
  return { kind, ...(code !== undefined && { code }), items: items.map(checkedMapping) };
}

function checkedMapping({ source, destination, subfields }: ItemMapping): ItemMapping {
  for (const tag of [source, destination]) {
    if (!new RegExp(DATA_TAG).test(tag)) {
      throw invalid(`${JSON.stringify(tag)} is not the tag of a data field: use three letters or digits, such as 952`);
    }
  }
  const codes = Object.entries(subfields);
  if (codes.length === 0) throw invalid(`the items in ${source} have no subfields: give at least one, such as i=p`);
  for (const [to, from] of codes) {
    if (new RegExp(ADDED_SUBFIELD_CODE).test(to) && new RegExp(SUBFIELD_CODE).test(from)) continue;
    const expected = 'use letters and digits; 5 and 8 of the added field have a meaning of their own';
    throw invalid(`the subfields ${JSON.stringify(`${to}=${from}`)} of the items in ${source}: ${expected}`);
  }
  return { source, destination, subfields: Object.fromEntries(codes) };
}

const invalid = (message: string): TidemarkError => new TidemarkError('invalid', message, { field: 'normalization' });
