/** A record as people read it: a line for each field, in the order of the record. */
export interface ReadableField {
  /** `LDR`, `245`; empty for a line of text, such as one of XML. */
  readonly tag: string;
  /** What the field is for, if it is a common one. */
  readonly name?: string | undefined;
  /** Blanks as `#`; absent for a field without any. */
  readonly indicators?: string;
  /** Those of the version before, if they are others. */
  readonly indicatorsBefore?: string;
  /** A field without subfields has one without a code. */
  readonly subfields: readonly ReadableSubfield[];
  /** For links between a field and the one with the same text in another script (880): names of both. */
  readonly link?: { readonly own: string; readonly other: string };
  /** What is wrong with the whole field, of a record that could not be read: a sentence without a full stop. */
  readonly problem?: string;
  /** What became of it between two versions. */
  readonly change?: 'added' | 'removed' | 'changed';
}

export interface ReadableSubfield {
  readonly code?: string;
  /** Only when the code itself is new, or is no more. */
  readonly codeMark?: Mark | undefined;
  readonly parts: readonly TextPart[];
}

export interface TextPart {
  readonly text: string;
  readonly mark?: Mark | undefined;
}

/** `fault`: text that is wrong, or bytes that are no text, as `\xB9`. */
export type Mark = 'fault' | 'added' | 'removed';

/** A record that begins with the first of some bytes, as far as it can be read. */
export interface FaultyRecord {
  /** Bytes of it. */
  readonly length: number;
  readonly fields: readonly ReadableField[];
}

/** A line of text. */
export function lineOf(text: string): ReadableField {
  return { tag: '', subfields: [{ parts: [{ text }] }] };
}

/** Whether something of it is marked as wrong. */
export function isFaulty({ problem, subfields }: ReadableField): boolean {
  return problem !== undefined || subfields.some(({ parts }) => parts.some(({ mark }) => mark === 'fault'));
}

/** A line for the command line: `245 10 $a Title : $b rest`. */
export function fieldText({ tag, indicators, subfields }: ReadableField): string {
  const text = subfields.map(({ code, parts }) => {
    const value = parts.map((part) => part.text).join('');
    return code === undefined ? value : `$${code} ${value}`;
  });
  return [tag, ...(tag === '' ? [] : [indicators ?? '  ']), text.join(' ')].filter((part) => part !== '').join(' ');
}
