import { isTidemarkError, TidemarkError } from './errors.ts';
import { keyOfRequestPath, mendedUri, type ResourceKey, resolveTarget } from './key.ts';
import { LEAST_PRIORITY } from './link-relations.ts';
import { isMediaType } from './media-type.ts';

/** The most rules of a set. */
export const MOST_LINK_RULES = 20;

/** Keys with this beginning and end. The part in between, at least one character, is the stem. */
export interface KeyPattern {
  readonly before: string;
  readonly after: string;
}

/** A link from each resource that matches a pattern (from all without one) to a URL that is made from its path. */
export interface AddressRule {
  readonly kind: 'address';
  readonly rel: string;
  readonly from: KeyPattern | undefined;
  /** A URI with `{path}` and `{stem}`. */
  readonly template: string;
  readonly mime?: string;
  readonly pri?: number;
}

/** A link from each resource that matches one pattern to the resource with the same stem that matches the other. */
interface NeighbourRule {
  readonly kind: 'neighbour';
  readonly rel: string;
  readonly from: KeyPattern;
  readonly to: KeyPattern;
  readonly pri?: number;
}

export type LinkRule = AddressRule | NeighbourRule;

/** The relation of the link back (ResourceSync 1.1, 14.5). */
const INVERSES: Readonly<Record<string, string>> = { describes: 'describedby', describedby: 'describes' };
const TO_NEIGHBOURS = ['describes', 'describedby', 'alternate'];
const TO_ADDRESSES = ['duplicate', 'alternate', 'canonical', 'collection', 'via', 'profile'];
const RELATIONS = [...new Set([...TO_NEIGHBOURS, ...TO_ADDRESSES])];
const PLACEHOLDER = /\{(?:path|stem)\}/g;

interface Word {
  readonly text: string;
  /** The position of its first character in the rule, from 1. */
  readonly at: number;
}

/**
 * Parses `[PATTERN] RELATION TARGET [type=MEDIA_TYPE] [pri=NUMBER]`, see docs/links.md. A rule about metadata makes two
 * rules, one for each direction.
 * @throws TidemarkError `invalid` with the fault and the position of the character
 */
export function parseLinkRule(text: string): readonly LinkRule[] {
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ text: word, at: index + 1 }));
  return new RuleParser(text, words).rules();
}

class RuleParser {
  readonly #text: string;
  readonly #words: Word[];

  constructor(text: string, words: readonly Word[]) {
    this.#text = text;
    this.#words = [...words];
  }

  rules(): readonly LinkRule[] {
    const from = this.#words[0]?.text.includes('*') ? this.#pattern(this.#words.shift()!) : undefined;
    const rel = this.#relation(from === undefined ? 'a pattern such as *.tif, or a relation' : 'a relation');
    const target = this.#take('the target');
    const isAddress = /^[A-Za-z][A-Za-z0-9+.-]*:/.test(target.text);
    if (isAddress) return [this.#addressRule(rel, from, target)];
    if (!TO_NEIGHBOURS.includes(rel.text)) {
      throw this.#wrong(target, `the target of ${rel.text} is an absolute URI, such as https://example.org/{path}`);
    }
    if (from === undefined) throw this.#wrong(rel, 'before it, there has to be a pattern, such as *.xml');
    const to = this.#pattern(target);
    const { pri } = this.#options(['pri']);
    const rule: NeighbourRule = { kind: 'neighbour', rel: rel.text, from, to, ...(pri !== undefined && { pri }) };
    const inverse = INVERSES[rel.text];
    return inverse === undefined ? [rule] : [rule, { ...rule, rel: inverse, from: to, to: from }];
  }

  #addressRule(rel: Word, from: KeyPattern | undefined, target: Word): AddressRule {
    if (!TO_ADDRESSES.includes(rel.text)) {
      const message = `the target of ${rel.text} is a pattern of resources of the set, such as *.tif: both have to be in it`;
      throw this.#wrong(target, message);
    }
    this.#checkTemplate(target, from !== undefined);
    const options = this.#options(['type', 'pri']);
    return { kind: 'address', rel: rel.text, from, template: target.text, ...options };
  }

  #relation(expected: string): Word {
    const word = this.#take(expected);
    if (RELATIONS.includes(word.text)) return word;
    throw this.#wrong(word, `"${word.text}" is not ${expected}: relations are ${RELATIONS.join(', ')}`);
  }

  #pattern(word: Word): KeyPattern {
    const [before = '', after = '', ...more] = word.text.split('*');
    if (!word.text.includes('*') || more.length > 0) {
      throw this.#wrong(word, 'a pattern has exactly one *, which means the same text on both sides');
    }
    if (word.text.startsWith('/'))
      throw this.#wrong(word, 'a pattern is a path below the root: it must not begin with /');
    const keys = [keyOfRequestPath(before), keyOfRequestPath(after)];
    const [start, end] = keys;
    if (start === undefined || end === undefined) {
      throw this.#wrong(word, 'a pattern has %-encoded bytes that are not UTF-8: write a per cent sign as %25');
    }
    return { before: start, after: end.slice(1) };
  }

  #checkTemplate(word: Word, hasStem: boolean): void {
    const { text, at } = word;
    const rest = text.replace(PLACEHOLDER, (found) => ' '.repeat(found.length));
    const brace = rest.search(/[{}]/);
    if (brace >= 0) throw this.#wrong({ text, at: at + brace }, 'of braces, only {path} and {stem} are known');
    if (!hasStem && text.includes('{stem}')) {
      throw this.#wrong({ text, at: at + text.indexOf('{stem}') }, '{stem} needs a pattern before the relation');
    }
    try {
      addressOf(text.replace(PLACEHOLDER, 'a'), 'http://a.example/');
    } catch (error) {
      if (!isTidemarkError(error)) throw error;
      throw this.#wrong(word, error.message);
    }
  }

  #options(known: readonly ('type' | 'pri')[]): { readonly mime?: string; readonly pri?: number } {
    const options: { mime?: string; pri?: number } = {};
    for (const word of this.#words) {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(word.text) ?? [];
      if (name === 'type' && known.includes('type')) options.mime = this.#mediaType(word, value);
      else if (name === 'pri') options.pri = this.#priority(word, value);
      else
        throw this.#wrong(word, `"${word.text}" is not known here: use ${known.map((one) => `${one}=…`).join(' or ')}`);
    }
    return options;
  }

  #mediaType(word: Word, value: string): string {
    if (isMediaType(value)) return value;
    throw this.#wrong(word, `"${value}" is not a media type, such as image/tiff`);
  }

  #priority(word: Word, value: string): number {
    const number = /^\d{1,6}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= LEAST_PRIORITY) return number;
    throw this.#wrong(word, `pri is a whole number from 1 to ${LEAST_PRIORITY} (ResourceSync 1.1, 7)`);
  }

  #take(expected: string): Word {
    const word = this.#words.shift();
    if (word !== undefined) return word;
    throw this.#wrong({ text: '', at: this.#text.length + 1 }, `${expected} is missing`);
  }

  #wrong({ at }: Word, message: string): TidemarkError {
    const rule = this.#text.slice(0, 200);
    return new TidemarkError('invalid', `link rule "${rule}", character ${at}: ${message}`, { field: 'links', at });
  }
}

/** @throws TidemarkError `invalid` when the URI cannot be the target of a link */
export function addressOf(uri: string, urlPrefix: string): ResourceKey {
  // Rules of an earlier version may have characters that no URI contains.
  return resolveTarget({ value: mendedUri(uri), type: 'url' }, { urlPrefix }, 'the target');
}
