import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AccessPolicy } from '../../access/access-policy.ts';
import type { Principal } from '../../access/principal.ts';
import type { SenderLimits } from '../../access/sender-limits.ts';
import type { Encoding } from '../../publish/published-document.ts';
import { noteRoute, requestIdOf } from '../request/observation.ts';
import { prefersPage } from '../request/prefers-page.ts';
import type { ServedApp } from '../request/served-app.ts';
import { weighConditions } from '../response/conditional-request.ts';
import { setKeeper } from '../response/keep-answer.ts';
import { negotiateEncoding } from '../response/negotiate-encoding.ts';
import { type QuickAnswer, QuickAnswers, type Whole } from '../response/quick-answers.ts';
import { senderKind } from './sender-kind.ts';

/** Where documents and the bytes of resources are. */
const QUICK = /^\/(?:\.well-known\/resourcesync|sets\/[^/?#]+\/(?:[^/?#]+\.xml|resources\/[^?#]+))$/;
/** The key of a resource is shorter. */
const MOST_LETTERS = 4096;
const BUSY = 10_000;
/** A body above this may be more than the system takes at once. */
const LARGE = 65_536;

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly key: string;
}

export interface QuickParts {
  readonly policy: AccessPolicy;
  readonly limits: SenderLimits;
  /** Answers everything else. */
  readonly next: RequestListener;
}

/**
 * Answers what was answered before and has not changed since, from memory; everything else is for the next listener, whose answers it learns
 * (keep-answer.ts). All requests that came meanwhile share one look at the stores, which begins after they came.
 */
export function quickListener({ moment, onBusy, configuration }: ServedApp, { policy, limits, next }: QuickParts) {
  const answers = new QuickAnswers();
  const { idleTimeout } = configuration;
  let waiting: Asked[] = [];
  /** Answers from memory. */
  let count = 0;

  const listener: RequestListener = (request, response) => {
    const sender = isQuick(request) ? senderKind(request, policy) : undefined;
    if (sender === undefined) {
      next(request, response);
      return;
    }
    if (waiting.length === 0) setImmediate(answerAll);
    waiting.push({ request, response, key: `${request.url} ${sender}` });
  };

  function answerAll(): void {
    const all = waiting;
    waiting = [];
    moment().then(
      (now) => {
        for (const asked of all) answer(asked, now);
      },
      // Whoever makes the answer meets the same fault, and says so.
      () => {
        for (const { request, response } of all) next(request, response);
      },
    );
  }

  function answer(asked: Asked, now: string): void {
    const found = answers.find(asked.key);
    if (found === undefined || found.moment !== now || found.until < Date.now()) pass(asked, now);
    else if (found.isCurrent === undefined) giveOrPass(asked, now, found);
    else {
      const stale = (): void => {
        answers.remove(asked.key);
        pass(asked, now);
      };
      found.isCurrent().then((isCurrent) => (isCurrent ? giveOrPass(asked, now, found) : stale()), stale);
    }
  }

  function giveOrPass(asked: Asked, now: string, found: QuickAnswer): void {
    // The client went away meanwhile. Its response has closed, and would never give back a body that is lent to it now.
    if (asked.response.destroyed) return;
    const given = partOf(asked.request, found);
    if (given === undefined || isLimited(asked.request, found.sender)) {
      pass(asked, now);
      return;
    }
    noteRoute(asked.response, found.route, found.sender);
    if (++count === BUSY) onBusy();
    if (Array.isArray(given)) asked.response.writeHead(304, headFor(asked.response, given)).end();
    else send(asked, given);
  }

  /** The guard says so in words. */
  function isLimited({ headers, socket }: IncomingMessage, sender: Principal): boolean {
    return limits.takeRequest(sender, { headers, address: socket.remoteAddress }) > 0;
  }

  function send({ request, response }: Asked, whole: Whole): void {
    response.writeHead(200, headFor(response, whole.head));
    if (request.method === 'HEAD') response.end();
    else if (whole.text !== undefined) response.end(whole.text, 'latin1');
    else {
      if (whole.body.length > LARGE) response.once('close', answers.lend(whole));
      response.end(whole.body);
    }
    // A client that takes nothing is cut off.
    if (response.writableLength > 0) response.setTimeout(idleTimeout);
  }

  function pass({ request, response, key }: Asked, now: string): void {
    setKeeper(response, { answers, key, moment: now });
    next(request, response);
  }

  return listener;
}

/** The answer, or the head of a 304; undefined for what was not asked for before. */
function partOf({ headers }: IncomingMessage, { variants }: QuickAnswer): Whole | string[] | undefined {
  const variant = variants.get(undefined) ?? variants.get(encodingOf(headers['accept-encoding']));
  if (variant === undefined) return undefined;
  const isConditional = headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
  const isKnown = isConditional && weighConditions(headers, variant.validators) === 'not-modified';
  return isKnown ? variant.notModified : variant.whole;
}

function isQuick({ method, url = '', headers }: IncomingMessage): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || url.length > MOST_LETTERS || !QUICK.test(url)) return false;
  const { accept } = headers;
  return !isSpecial(headers) && (accept === undefined || accept === '*/*' || !prefersPage(accept));
}

/** Whether an answer is another one, or a body has to be read first. Every request comes by here: each name stands for itself, so that no table is gone through. */
function isSpecial(headers: IncomingHttpHeaders): boolean {
  return (
    headers.range !== undefined ||
    headers['if-match'] !== undefined ||
    headers['if-unmodified-since'] !== undefined ||
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined
  );
}

/** Every answer names its request in the first header; node:http has read the head when writeHead returns. */
function headFor(response: ServerResponse, head: string[]): string[] {
  head[1] = requestIdOf(response)!;
  return head;
}

const MOST_HEADERS = 100;
const encodings = new Map<string | undefined, Encoding>();

/** Clients send few different headers. */
function encodingOf(acceptEncoding: string | undefined): Encoding {
  const known = encodings.get(acceptEncoding);
  if (known !== undefined) return known;
  const encoding = negotiateEncoding(acceptEncoding);
  if (encodings.size < MOST_HEADERS) encodings.set(acceptEncoding, encoding);
  return encoding;
}
