import { SaxesParser } from 'saxes';

/** Of a character reference such as `&#1;`. One without its semicolon goes on to the next one, across tags. */
export const BAD_REFERENCE = 'malformed character entity.';
export const UNDEFINED_ENTITY = 'undefined entity.';
const NOT_A_NAME = 'disallowed character in entity name.';
/** The place is that of the next semicolon, or the end of the document. */
const BARE_AMPERSAND = 'an & before this place begins no reference such as &amp;: write it as &amp;';
/** Faults after which the parser goes on with the next character. */
const OF_A_CHARACTER: ReadonlySet<string> = new Set(['disallowed character.', UNDEFINED_ENTITY, BAD_REFERENCE]);

/** A parser of XML that goes on after a character that XML does not have, when it may. */
export class ForgivingParser extends SaxesParser<{ readonly xmlns: true }> {
  readonly #forgives: (message: string) => boolean;

  /** @param forgives called with the message of such a fault; returns whether to go on */
  constructor(forgives: (message: string) => boolean) {
    super({ xmlns: true });
    this.#forgives = forgives;
  }

  override fail(message: string): this {
    if (OF_A_CHARACTER.has(message) && this.#forgives(message)) return this;
    return super.fail(message === NOT_A_NAME ? BARE_AMPERSAND : message);
  }

  /** An ampersand that begins no reference takes all up to the next semicolon: perhaps the rest of the document. */
  override close(): this {
    const reference: unknown = Reflect.get(this, 'entity');
    if (typeof reference === 'string' && reference !== '') this.fail(BARE_AMPERSAND);
    return super.close();
  }
}
