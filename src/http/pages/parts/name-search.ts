import type { Html } from './html.ts';
import { pathText, type TextRange } from './path-text.ts';

/** A search for resources as typed by a user: `*` means any text. */
export interface NameSearch {
  /** The text that the store searches for: the longest part, or the beginning of a path. */
  readonly stored: string;
  /** The parts of a name, in order, in lower case. */
  readonly parts: readonly string[];
  /** Whether the name must begin with the first part. */
  readonly isBeginning: boolean;
  /** Whether names that contain the stored text must contain further parts. */
  readonly hasMore: boolean;
}

/** @param q trimmed */
export function parseNameSearch(q: string): NameSearch {
  const isBeginning = /^[/^]/.test(q);
  const [first = '', ...others] = q.split('*').filter((part) => part !== '');
  // The store would treat these characters as the beginning of a path.
  const inside = [first, ...others].map((part) => part.replace(/^[/^]+/, ''));
  return {
    stored: isBeginning ? first : inside.reduce((most, part) => (part.length > most.length ? part : most), ''),
    parts: [isBeginning ? first.slice(1) : first, ...others].map(small),
    isBeginning,
    hasMore: others.length > 0,
  };
}

/**
 * The positions of the parts of a search in a name, as pairs of start and end; undefined when it does not contain all
 * of them in order. Takes linear time.
 */
export function placesIn(name: string, { parts, isBeginning }: NameSearch): readonly TextRange[] | undefined {
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
  return pathText(
    name,
    (placesIn(name, search) ?? []).filter(([from, to]) => from < to),
  );
}

/** Lower-cases only ASCII letters, as the store does; so the length of the text does not change. */
function small(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
