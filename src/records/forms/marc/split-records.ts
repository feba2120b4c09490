import type { FieldBytes } from './iso2709.ts';
import type { MarcPart } from './read-record.ts';

/**
 * Groups the records with one id by what was split by items: each part has the whole bibliographic record, and other
 * items. A record that is not a part of another is a group of its own.
 */
export function groupSplits(records: readonly MarcPart[]): readonly (readonly MarcPart[])[] {
  const groups: MarcPart[][] = [];
  const items: Items = new Map();
  let last: Contents | undefined;
  for (const record of records) {
    const contents = contentsOf(record);
    if (last !== undefined && contents !== undefined && isSplit(contents, last, items)) groups.at(-1)!.push(record);
    else {
      groups.push([record]);
      items.clear();
    }
    for (const [tag, fields] of contents?.items ?? []) for (const field of fields) addItem(items, tag, field);
    last = contents;
  }
  return groups;
}

/** Fields of holdings and items, and local ones, by their tags. */
type Items = Map<string, Set<string>>;

interface Contents {
  /** Status, type and level (leader/05 to 07), and the fields up to 840. */
  readonly bibliographic: string;
  readonly items: Items;
}

/** Undefined for a deletion, and for what cannot be read. */
function contentsOf(part: MarcPart): Contents | undefined {
  if (part.reason !== undefined || part.deleted) return undefined;
  const bibliographic = [part.record.leader.slice(5, 8)];
  const items: Items = new Map();
  for (const field of part.record.fieldBytes()) {
    if (isBibliographic(field)) bibliographic.push(textOf(field));
    else if (!OF_TITLE_OR_ITEM.test(field.tag)) addItem(items, field.tag, textOf(field));
  }
  return { bibliographic: bibliographic.join('\x1e'), items };
}

function addItem(items: Items, tag: string, field: string): void {
  const fields = items.get(tag);
  if (fields === undefined) items.set(tag, new Set([field]));
  else fields.add(field);
}

/** Links (856, 857), and fields in other scripts or of the description (88X): they say nothing of items. */
const OF_TITLE_OR_ITEM = /^(?:85[67]|88.)$/;

/**
 * Whether a part continues a split record: it has items with a tag that those before it have, too, and none of them is
 * there already. One that is there means another version, without the items that it lacks; but the parts may have
 * all fields with some other tag in common.
 * @param last the part before it @param items of all parts before it
 */
function isSplit(part: Contents, last: Contents, items: Items): boolean {
  if (part.bibliographic !== last.bibliographic) return false;
  let hasItems = false;
  for (const [tag, fields] of part.items) {
    const others = items.get(tag);
    if (others === undefined || areEqual(fields, last.items.get(tag))) continue;
    if (!fields.isDisjointFrom(others)) return false;
    hasItems = true;
  }
  return hasItems;
}

const areEqual = (one: Set<string>, other: Set<string> | undefined): boolean =>
  one.size === other?.size && one.isSubsetOf(other);

/** Whether it is one of the fields up to 840: those behind it are of holdings and items, or local. */
export const isBibliographic = ({ tag }: FieldBytes): boolean => tag <= '840';

/** A text that only equal fields have. */
export const textOf = ({ tag, bytes }: FieldBytes): string => tag + bytes.toString('latin1');
