import { diffArrays } from 'diff';
import { fieldsOfTokens, fieldTokens, type Token } from './field-tokens.ts';
import type { Mark, ReadableField } from './readable-record.ts';

export interface ComparedFields {
  /** All fields of both versions, in order; those without `change` are in both. */
  readonly fields: readonly ReadableField[];
  /** Whether they differ in so much that fields were not assigned to each other. */
  readonly isOther: boolean;
}

/** Most fields that are added and removed: comparing more takes seconds. */
const MOST_FIELD_EDITS = 1_000;
/** Most words that are added and removed in a field. */
const MOST_WORD_EDITS = 300;
/** Words of all changed fields that are compared; later fields are shown as removed and added. */
const MOST_WORDS = 50_000;
/** Which share of the words two fields need to be shown as one that was changed. */
const ALIKE = 0.3;

/** What differs between two versions of a record: fields, and within changed fields the words. */
export function compareFields(before: readonly ReadableField[], after: readonly ReadableField[]): ComparedFields {
  const comparison = new Comparison();
  const options = { maxEditLength: MOST_FIELD_EDITS };
  const runs = diffArrays(before.map(keyOf), after.map(keyOf), options);
  if (runs === undefined) return { fields: [...whole(before, 'removed'), ...whole(after, 'added')], isOther: true };
  let [left, right] = [0, 0];
  let removed: readonly ReadableField[] = [];
  const fields: ReadableField[] = [];
  const settle = (added: readonly ReadableField[]) => {
    fields.push(...comparison.pair(removed, added));
    removed = [];
  };
  for (const run of runs) {
    if (run.removed) {
      settle([]);
      removed = before.slice(left, left + run.count);
    } else if (run.added) settle(after.slice(right, right + run.count));
    else {
      settle([]);
      fields.push(...after.slice(right, right + run.count));
    }
    if (!run.added) left += run.count;
    if (!run.removed) right += run.count;
  }
  settle([]);
  return { fields, isOther: false };
}

class Comparison {
  #words = 0;

  /** Fields that are no more, and those in their place: ones with the same tag may be one that was changed. */
  pair(removed: readonly ReadableField[], added: readonly ReadableField[]): readonly ReadableField[] {
    const runs = diffArrays(removed.map(tagOf), added.map(tagOf), { maxEditLength: MOST_FIELD_EDITS });
    if (removed.length === 0 || added.length === 0 || runs === undefined) {
      return [...whole(removed, 'removed'), ...whole(added, 'added')];
    }
    let [left, right] = [0, 0];
    return runs.flatMap((run) => {
      const [from, to] = [removed.slice(left, left + run.count), added.slice(right, right + run.count)];
      if (!run.added) left += run.count;
      if (!run.removed) right += run.count;
      if (run.removed) return whole(from, 'removed');
      if (run.added) return whole(to, 'added');
      return from.flatMap((field, at) => this.#changed(field, to[at]!));
    });
  }

  #changed(before: ReadableField, after: ReadableField): readonly ReadableField[] {
    const both = [...whole([before], 'removed'), ...whole([after], 'added')];
    const [from, to] = [fieldTokens(before), fieldTokens(after)];
    this.#words += from.length + to.length;
    if (this.#words > MOST_WORDS) return both;
    const runs = diffArrays([...from], [...to], { maxEditLength: MOST_WORD_EDITS });
    if (runs === undefined) return both;
    const common = runs.filter((run) => !run.added && !run.removed).flatMap(({ value }) => value);
    if (lengthOf(common) < ALIKE * Math.min(lengthOf(from), lengthOf(to))) return both;
    const tokens = runs.flatMap(({ value, ...run }) => value.map((text): Token => ({ text, mark: markOf(run) })));
    const { indicators } = before;
    const were = indicators !== undefined && indicators !== after.indicators ? { indicatorsBefore: indicators } : {};
    return [{ ...after, ...were, subfields: fieldsOfTokens(tokens), change: 'changed' }];
  }
}

function markOf(run: { readonly added: boolean; readonly removed: boolean }): Mark | undefined {
  if (run.added) return 'added';
  return run.removed ? 'removed' : undefined;
}

function whole(fields: readonly ReadableField[], change: 'added' | 'removed'): readonly ReadableField[] {
  return fields.map((field) => ({ ...field, change }));
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

/** Fields with other indicators may be one that was changed, but only with the same tag. */
const tagOf = ({ tag }: ReadableField): string => tag;

function keyOf({ tag, indicators, subfields }: ReadableField): string {
  return JSON.stringify([tag, indicators, subfields.map(({ code, parts }) => [code, parts.map(({ text }) => text)])]);
}
