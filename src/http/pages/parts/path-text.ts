import { type Html, html } from './html.ts';

/** The blocks of Unicode whose letters are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The start and end of a part of a text. */
export type TextRange = readonly [number, number];

/**
 * A path, whose names follow each other from left to right whatever letters they have: without that, a browser would
 * show the names of an Arabic or Hebrew path in reverse order. @param marks what is marked, in order
 */
export function pathText(path: string, marks: readonly TextRange[] = []): Html {
  if (!RIGHT_TO_LEFT.test(path)) return marked(path, 0, marks);
  let start = 0;
  const names = path.split('/').map((name) => {
    const end = start + name.length;
    const shown = html`${start > 0 && marked('/', start - 1, marks)}<bdi dir="ltr">${marked(name, start, marks)}</bdi>`;
    start = end + 1;
    return shown;
  });
  return html`${names}`;
}

/** A part of a text, with what is marked in it. @param start where it begins in the text */
function marked(part: string, start: number, marks: readonly TextRange[]): Html {
  let at = 0;
  const pieces = marks.map(([from, to]) => {
    const begin = Math.max(from - start, at);
    const end = Math.min(to - start, part.length);
    if (begin >= end) return undefined;
    const before = part.slice(at, begin);
    at = end;
    return html`${before}<mark>${part.slice(begin, end)}</mark>`;
  });
  return html`${pieces}${part.slice(at)}`;
}
