import { SaxesParser } from 'saxes';

/** Of a character reference such as `&#1;`. One without its semicolon goes on to the next one, across tags. */
export const BAD_REFERENCE = 'malformed character entity.';
export const UNDEFINED_ENTITY = 'undefined entity.';
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
    return super.fail(message);
  }
}
