import type { Mark, ReadableField, ReadableSubfield, TextPart } from './readable-record.ts';

/** A word, what is between two words, or the beginning of a subfield. */
export interface Token {
  readonly text: string;
  readonly mark: Mark | undefined;
}

/** Begins a subfield; no text has it. */
const DELIMITER = '\x1f';
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of its subfields, each behind its code. */
export function fieldTokens({ subfields }: ReadableField): readonly string[] {
  return subfields.flatMap(({ code, parts }) => [
    DELIMITER + (code ?? ''),
    ...parts.flatMap(({ text }) => Array.from(words.segment(text), ({ segment }) => segment)),
  ]);
}

/** The subfields that tokens of two versions make together. */
export function fieldsOfTokens(tokens: readonly Token[]): readonly ReadableSubfield[] {
  const subfields: { readonly code?: string; readonly codeMark: Mark | undefined; readonly parts: TextPart[] }[] = [];
  for (const { text, mark } of tokens) {
    const parts = subfields.at(-1)?.parts;
    if (text.startsWith(DELIMITER) || parts === undefined) {
      const code = text.slice(DELIMITER.length);
      subfields.push({ ...(code !== '' && { code }), codeMark: mark, parts: [] });
    } else addText(parts, { text, mark });
  }
  return subfields;
}

function addText(parts: TextPart[], { text, mark }: TextPart): void {
  const last = parts.at(-1);
  if (last !== undefined && last.mark === mark) parts[parts.length - 1] = { text: last.text + text, mark };
  else parts.push({ text, mark });
}
