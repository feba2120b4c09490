import type { Principal } from '../../access/principal.ts';
import type { Encoding } from '../../publish/published-document.ts';
import type { Validators } from './conditional-request.ts';

/** Larger bodies are streamed. A page of 50,000 entries has some 2.5 MB as gzip. */
export const MOST_BYTES_OF_ONE = 4 * 1024 * 1024;
/** All bodies that are kept, or are not kept any more and still being sent to somebody. */
const MOST_BYTES = 64 * 1024 * 1024;
/** What an answer takes beside its bodies, at most. */
const OVERHEAD = 4096;
/** A small body is kept as a text as well, which is written together with its head. */
const MOST_BYTES_OF_TEXT = 16_384;
/** Milliseconds after which an answer is made anew, since a few depend on the clock; but for one that tells itself whether it is current. */
const KEPT_FOR = 10_000;

/** What tells whether an answer may be given again. */
export interface Keeping {
  readonly validators: Validators;
  /** Undefined when the answer is the same whichever encodings the client likes. */
  readonly encoding?: Encoding;
  /** Whether the body is still the one that would be sent, when that depends on more than the stores. */
  readonly isCurrent?: (() => Promise<boolean>) | undefined;
}

/** A part of an answer as it was given. */
export interface GivenAnswer extends Keeping {
  /** Its URL, and to what kind of sender it was given. */
  readonly key: string;
  /** Of the stores, told before the answer was made. */
  readonly moment: string;
  readonly sender: Principal;
  /** The pattern of the route that answered. */
  readonly route: string;
  /** Names and values in turn, as node:http takes them. */
  readonly head: string[];
  /** Undefined for a 304. */
  readonly body?: Buffer;
}

/** What was answered at a URL to a kind of sender. */
export interface QuickAnswer extends Pick<GivenAnswer, 'moment' | 'sender' | 'route' | 'isCurrent'> {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Since it was kept, or spared when room was made. */
  isUsed: boolean;
  readonly variants: Map<Encoding | undefined, Variant>;
}

export interface Variant {
  readonly validators: Validators;
  whole?: Whole;
  /** The head of a 304. */
  notModified?: string[];
}

export interface Whole {
  readonly head: string[];
  readonly body: Buffer;
  /** The body again, byte for byte as `latin1`, when it is small. */
  readonly text: string | undefined;
  isKept: boolean;
  /** Responses that it is being sent with. */
  users: number;
}

/** The answers that were given last, within a bound of bytes. */
export class QuickAnswers {
  readonly #mostBytes: number;
  readonly #answers = new Map<string, QuickAnswer>();
  readonly #claims = new Map<string, number>();
  #bytes = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** What is kept, claimed, or being sent. */
  get bytes(): number {
    return this.#bytes;
  }

  find(key: string): QuickAnswer | undefined {
    const found = this.#answers.get(key);
    if (found !== undefined) found.isUsed = true;
    return found;
  }

  keep(given: GivenAnswer): void {
    const { validators, encoding, head, body } = given;
    const answer = this.#answerOf(given);
    const variant: Variant = answer.variants.get(encoding) ?? { validators };
    answer.variants.set(encoding, variant);
    if (body === undefined) variant.notModified = head;
    else if (variant.whole === undefined && this.#makeRoom(body.length)) {
      const text = body.length <= MOST_BYTES_OF_TEXT ? body.toString('latin1') : undefined;
      variant.whole = { head, body, text, isKept: true, users: 0 };
      this.#bytes += body.length;
    }
    // To make room, this very answer may have been taken away.
    if (this.#answers.get(given.key) !== answer) this.#free(answer, 0);
  }

  remove(key: string): void {
    const answer = this.#answers.get(key);
    if (answer === undefined) return;
    this.#answers.delete(key);
    this.#free(answer, OVERHEAD);
  }

  /** Makes room for a body that is about to be read; false when there is none, or somebody else reads it already. */
  claim(key: string, length: number): boolean {
    if (length > MOST_BYTES_OF_ONE || this.#claims.has(key) || !this.#makeRoom(length)) return false;
    this.#claims.set(key, length);
    this.#bytes += length;
    return true;
  }

  release(key: string): void {
    this.#bytes -= this.#claims.get(key) ?? 0;
    this.#claims.delete(key);
  }

  /** Notes that a body is being sent: whoever takes it slowly holds it. Returns what is to be called when it is sent. */
  lend(whole: Whole): () => void {
    whole.users += 1;
    return () => {
      whole.users -= 1;
      if (whole.users === 0 && !whole.isKept) this.#bytes -= whole.body.length;
    };
  }

  #answerOf({ key, moment, sender, route, isCurrent, encoding, validators }: GivenAnswer): QuickAnswer {
    const found = this.find(key);
    const variant = found?.variants.get(encoding);
    const isSame = variant === undefined || variant.validators.etag === validators.etag;
    if (found !== undefined && found.moment === moment && found.until > Date.now() && isSame) return found;
    this.remove(key);
    this.#makeRoom(OVERHEAD);
    const until = isCurrent === undefined ? Date.now() + KEPT_FOR : Number.POSITIVE_INFINITY;
    const answer = { moment, sender, route, isCurrent, until, isUsed: false, variants: new Map() };
    this.#answers.set(key, answer);
    this.#bytes += OVERHEAD;
    return answer;
  }

  /** Takes away the oldest ones; each that was used meanwhile is spared once. */
  #makeRoom(bytes: number): boolean {
    for (const [key, answer] of this.#answers) {
      if (this.#bytes + bytes <= this.#mostBytes) return true;
      if (answer.isUsed) this.#spare(key, answer);
      else this.remove(key);
    }
    return this.#bytes + bytes <= this.#mostBytes;
  }

  /** A map tells its entries in the order in which they were set. */
  #spare(key: string, answer: QuickAnswer): void {
    answer.isUsed = false;
    this.#answers.delete(key);
    this.#answers.set(key, answer);
  }

  #free({ variants }: QuickAnswer, overhead: number): void {
    this.#bytes -= overhead;
    for (const { whole } of variants.values()) {
      if (whole === undefined || !whole.isKept) continue;
      whole.isKept = false;
      if (whole.users === 0) this.#bytes -= whole.body.length;
    }
  }
}
