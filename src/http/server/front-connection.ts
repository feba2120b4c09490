import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FileBytes } from '../../sources/served-source.ts';
import type { Answer } from '../request/answer.ts';
import { type Observation, observed } from '../request/observation.ts';
import { headText } from '../response/head-text.ts';
import { closeBody } from '../response/send-answer.ts';
import { MOST_BYTES_OF_TEXT, writeStream } from '../response/send-bytes.ts';
import { writeFile } from '../response/write-file.ts';
import type { DirectAnswers, Match, MatchedRequest } from './direct-answers.ts';
import { type Fields, readPlainHead } from './plain-head.ts';
import type { RequestObserver } from './request-observer.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

interface ConnectionParts {
  readonly direct: DirectAnswers;
  readonly observer: RequestObserver;
  /** Milliseconds for which a client may read nothing of a response. */
  readonly idleTimeoutMs: number;
  /** Seconds for which a connection stays open, as stated in responses. */
  readonly keptSeconds: number;
  readonly isStopping: () => boolean;
  /** Called once, when the connection was closed or transferred. */
  readonly onLeave: () => void;
  /** Transfers the socket to node:http. */
  readonly toNode: () => void;
}

interface Current extends MatchedRequest {
  /** The status of the response; 0 before it is sent. */
  status: number;
  /** Bytes of the response. */
  sent: number;
}

/** Buffer for the small response that is being written; reused for the next one. It grows with the heads. */
let outgoing = Buffer.allocUnsafeSlow(MOST_BYTES_OF_TEXT + 4096);

/** A connection as long as only plain requests arrive. It handles one request at a time. */
export class FrontConnection {
  /** On the clock of performance.now(). */
  idleSince = performance.now();
  /** Whether a response was sent. */
  hasServed = false;
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  #fields: Fields | undefined;
  /** The request that is being handled. */
  #current: Current | undefined;
  /** Bytes that arrived while a request was being handled. */
  #held: Buffer | undefined;
  #hasEnded = false;

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  get isIdle(): boolean {
    return this.#current === undefined;
  }

  /** @param last bytes to send before closing */
  close(last?: string): void {
    if (last !== undefined) this.#socket.write(last);
    this.#socket.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#current !== undefined) {
      // The next request, sent before this response. Nothing more is read until it is handled.
      this.#held = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes]);
      this.#socket.pause();
      return;
    }
    const head = readPlainHead(bytes, this.#fields);
    const match = head && this.#parts.direct.match(head.method, head.url, head.headers);
    if (match === undefined) {
      this.#handOn(bytes);
      return;
    }
    const { method, url, headers, fields } = head!;
    this.#fields = fields;
    const observation = observed(headers);
    this.#parts.observer.begin();
    this.#current = { method, url, headers, address: this.#socket.remoteAddress, observation, status: 0, sent: 0 };
    // An error that no code handles would end the process.
    this.#answer(match, this.#current).catch(() => this.#socket.destroy());
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#current === undefined) this.#socket.end();
  };

  readonly #onError = (): void => {};

  readonly #onClose = (): void => {
    this.#parts.onLeave();
    this.#observe(true);
  };

  async #answer(match: Match, request: Current): Promise<void> {
    const { direct } = this.#parts;
    const answer = await direct.answer(match, request);
    try {
      await this.#send(request, answer);
    } catch (error) {
      const failure = direct.failure(error, request);
      if (request.status === 0) await this.#send(request, failure);
      // Cutting the connection is the only remaining way to show that the response is incomplete.
      else this.#socket.destroy();
    }
  }

  async #send(request: Current, answer: Answer): Promise<void> {
    const socket = this.#socket;
    const { body } = answer;
    try {
      const head = this.#headOf(answer, request.observation);
      if (socket.destroyed) return;
      request.status = answer.status;
      if (body === undefined || request.method === 'HEAD') this.#write(request, head, this.#done);
      else if (!Buffer.isBuffer(body)) {
        this.#write(request, head);
        await this.#stream(request, body, Number(answer.headers['Content-Length']));
      } else if (body.length <= MOST_BYTES_OF_TEXT) {
        this.#writeSmall(request, head, body);
      } else {
        socket.cork();
        this.#write(request, head);
        this.#write(request, body, this.#done);
        socket.uncork();
      }
    } finally {
      if (body !== undefined && !Buffer.isBuffer(body)) await closeBody(body);
    }
    if (socket.writableLength > 0) this.#limitIdleTime();
  }

  #headOf(answer: Answer, { id: requestId }: Observation): string {
    const { keptSeconds, isStopping } = this.#parts;
    const end =
      this.#hasEnded || isStopping()
        ? 'Connection: close\r\n\r\n'
        : `Connection: keep-alive\r\nKeep-Alive: timeout=${keptSeconds}\r\n\r\n`;
    return headText(answer, { requestId, common: SECURITY_HEADERS, end });
  }

  #write(request: Current, bytes: string | Buffer, done?: (error?: Error | null) => void): void {
    request.sent += bytes.length;
    if (typeof bytes === 'string') this.#socket.write(bytes, 'latin1', done);
    else this.#socket.write(bytes, done);
  }

  /** Writes both by one system call, without garbage. */
  #writeSmall(request: Current, head: string, body: Buffer): void {
    const length = head.length + body.length;
    if (length > outgoing.length) outgoing = Buffer.allocUnsafeSlow(length);
    outgoing.write(head, 'latin1');
    body.copy(outgoing, head.length);
    this.#write(request, outgoing.subarray(0, length), this.#done);
    // The system has not accepted all of it: these bytes must not change.
    if (this.#socket.writableLength > 0) outgoing = Buffer.allocUnsafeSlow(outgoing.length);
  }

  async #stream(request: Current, body: Readable | FileBytes, length: number): Promise<void> {
    this.#limitIdleTime();
    const socket = this.#socket;
    const sent = body instanceof Readable ? await writeStream(socket, body) : await writeFile(socket, body, length);
    request.sent += sent;
    // Otherwise the client would wait, or take the response for complete.
    if (sent !== length) socket.destroy();
    else this.#write(request, '', this.#done);
  }

  /** Cuts the connection when the client reads nothing for some time. */
  #limitIdleTime(): void {
    this.#socket.setTimeout(this.#parts.idleTimeoutMs, this.#onTimeout);
  }

  readonly #onTimeout = (): void => {
    this.#socket.destroy();
  };

  /** Called when the system has accepted the whole response. */
  readonly #done = (error?: Error | null): void => {
    if (error) return;
    const socket = this.#socket;
    this.#observe(false);
    if (socket.timeout) socket.setTimeout(0, this.#onTimeout);
    this.hasServed = true;
    this.idleSince = performance.now();
    if (this.#hasEnded || this.#parts.isStopping()) socket.destroySoon();
    else if (this.#held !== undefined) this.#handOn(this.#held);
  };

  /** Measures and logs the current request, if there is one. */
  #observe(isAborted: boolean): void {
    const request = this.#current;
    if (request === undefined) return;
    this.#current = undefined;
    const { observation, method, url, status, sent } = request;
    this.#parts.observer.end(observation, { method, url, status, sent, isAborted });
  }

  #handOn(bytes: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError).off('close', this.#onClose);
    this.#parts.onLeave();
    this.#parts.observer.bytesSince(socket);
    socket.pause();
    socket.unshift(bytes);
    this.#parts.toNode();
    socket.resume();
  }
}
