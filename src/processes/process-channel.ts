import { TidemarkError } from '../core/errors.ts';
import { type Question, type Reply, receiveError, type SentError, sendError } from '../lib/workers/questions.ts';

/** What may be asked, by name: the question and its answer, which is unknown where it tells nothing but that it is done. */
export type Questions = Readonly<Record<string, { readonly ask: unknown; readonly answer: unknown }>>;

export type Answers<Asked> = {
  readonly [Name in keyof Asked]: Asked[Name] extends { readonly ask: infer Ask; readonly answer: infer Answer }
    ? (ask: Ask) => Answer | Promise<Answer>
    : never;
};

/** This process's end of a channel: a child, or `process` in a child. */
interface End {
  readonly connected: boolean;
  send?(message: unknown, handle: undefined, options: object, sent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
}

type Message = Question<{ readonly name: string; readonly ask: unknown }> | Reply<unknown>;

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Two processes that ask each other, several things at a time. */
export class ProcessChannel<Asked extends Questions, Answered extends Questions> {
  readonly #end: End;
  readonly #answers: Answers<Answered>;
  readonly #waiting = new Map<number, Waiting>();
  #questions = 0;

  constructor(end: End, answers: Answers<Answered>) {
    this.#end = end;
    this.#answers = answers;
    end.on('message', (message) => this.#receive(message as Message));
    end.once('disconnect', () => {
      for (const n of this.#waiting.keys()) this.#fail(n, isGone());
    });
  }

  /** Rejects with what the other process threw; `unavailable` when it ended, for then nobody knows what it has done. */
  ask<Name extends keyof Asked & string>(name: Name, ask: Asked[Name]['ask']): Promise<Asked[Name]['answer']> {
    const n = ++this.#questions;
    return new Promise((resolve, reject) => {
      this.#waiting.set(n, { resolve, reject });
      this.#send({ n, ask: { name, ask } }, () => this.#fail(n, isGone()));
    });
  }

  #receive(message: Message): void {
    if ('ask' in message) void this.#answer(message);
    else if (message.error !== undefined) this.#fail(message.n, receiveError(message.error as SentError));
    else {
      this.#waiting.get(message.n)?.resolve(message.answer as never);
      this.#waiting.delete(message.n);
    }
  }

  async #answer({ n, ask: { name, ask } }: Question<{ readonly name: string; readonly ask: unknown }>): Promise<void> {
    // Whoever asked has ended when the answer does not reach it.
    const send = (reply: Reply<unknown>) => this.#send(reply, () => {});
    try {
      send({ n, answer: await this.#answers[name as keyof Answered](ask as never) });
    } catch (error) {
      send({ n, error: sendError(error) });
    }
  }

  #send(message: Message, failed: () => void): void {
    if (!this.#end.connected) failed();
    else this.#end.send!(message, undefined, {}, (error) => error !== null && failed());
  }

  #fail(n: number, error: Error): void {
    this.#waiting.get(n)?.reject(error);
    this.#waiting.delete(n);
  }
}

function isGone(): TidemarkError {
  return new TidemarkError('unavailable', 'another process of this server has ended: try again');
}
