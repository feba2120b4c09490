import { type Html, html } from './html.ts';

/** A search for resources, as a person typed it: `*` means any text. */
export interface NameSearch {
  /** What the store searches for: the longest part, or the part that a path begins with. */
  readonly stored: string;
  /** The parts of a name, in their order; all letters are small. */
  readonly parts: readonly string[];
  /** Whether a name begins with the first part. */
  readonly isBeginning: boolean;
  /** Whether names that have the stored part must have others as well. */
  readonly hasMore: boolean;
}

/** @param q without white space around it */
export function parseNameSearch(q: string): NameSearch {
  const isBeginning = /^[/^]/.test(q);
  const [first = '', ...others] = q.split('*').filter((part) => part !== '');
  // For the store, these would begin a path.
  const inside = [first, ...others].map((part) => part.replace(/^[/^]+/, ''));
  return {
    stored: isBeginning ? first : inside.reduce((most, part) => (part.length > most.length ? part : most), ''),
    parts: [isBeginning ? first.slice(1) : first, ...others].map(small),
    isBeginning,
    hasMore: others.length > 0,
  };
}

/**
 * Where a name has the parts of a search, as pairs of beginning and end; undefined when it does not have all of them in
 * their order. Takes linear time.
 */
export function placesIn(
  name: string,
  { parts, isBeginning }: NameSearch,
): readonly (readonly [number, number])[] | undefined {
  const text = small(name);
  const places: [number, number][] = [];
  let from = 0;
  for (const [at, part] of parts.entries()) {
    const found = text.indexOf(part, from);
    if (found === -1 || (at === 0 && isBeginning && found > 0)) return undefined;
    from = found + part.length;
    places.push([found, from]);
  }
  return places;
}

/** A name with the parts of a search marked; a name that was found by its encoded form has no mark. */
export function markedName(name: string, search: NameSearch): Html {
  let end = 0;
  const places = (placesIn(name, search) ?? []).filter(([from, to]) => from < to);
  const marked = places.map(([from, to]) => {
    const before = name.slice(end, from);
    end = to;
    return html`${before}<mark>${name.slice(from, to)}</mark>`;
  });
  return html`${marked}${name.slice(end)}`;
}

/** The store ignores the case of ASCII letters alone; so the text keeps its length. */
function small(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
