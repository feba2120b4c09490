import { digits14 } from '../../fetch/timestamp14.ts';
import { IngestFailure } from '../../ingest-failure.ts';
import type { ArchiveKeys } from './archive-keys.ts';
import { MayPass, poll, retryAfterMs, type Timing, withAttempts } from './attempts.ts';
import { findCaptures, timeOf } from './cdx.ts';
import { type Service, type ServiceAnswer, serviceFailure, wordsOf } from './service.ts';
import { SESSION_LIMIT, spnErrorOf } from './spn-errors.ts';

/** Clocks of others may differ. */
const CLOCK_MS = 10 * 60_000;

export interface SavePageNow {
  readonly service: Service;
  /** Without keys, it permits less. */
  readonly keys: ArchiveKeys | undefined;
  /** Of attempts to capture a file. */
  readonly capturing: Timing;
  /** Of questions how a capture goes on. */
  readonly polling: Timing;
}

/** A capture that was made. */
export interface MadeCapture {
  /** After redirects. */
  readonly url: string;
  /** 14 digits, in UTC. */
  readonly timestamp: string;
}

interface WantedCapture {
  readonly url: string;
  /** The timestamp of the latest capture before: that one is not wanted. */
  readonly known?: string | undefined;
}

/** An answer of Save Page Now 2. */
interface SpnAnswer {
  readonly job_id?: unknown;
  readonly status?: unknown;
  readonly status_ext?: unknown;
  readonly original_url?: unknown;
  readonly timestamp?: unknown;
}

/**
 * Captures a URL. After an error the index is read first: the capture may have succeeded nevertheless, and there are
 * ten a day.
 * @throws IngestFailure as spn-errors.ts has them
 */
export async function captureUrl(
  spn: SavePageNow,
  { url, known = '' }: WantedCapture,
  signal: AbortSignal,
): Promise<MadeCapture> {
  const from = digits14(Date.now() - CLOCK_MS);
  return withAttempts(
    async () => {
      try {
        return await captureOnce(spn, url, signal);
      } catch (error) {
        if (!(error instanceof MayPass || error instanceof IngestFailure)) throw error;
        const [made] = await findCaptures(spn.service, { url, from }, signal).catch(() => []);
        if (made !== undefined && made.timestamp > known) return made;
        throw error;
      }
    },
    { ...spn.capturing, signal },
  );
}

async function captureOnce(spn: SavePageNow, url: string, signal: AbortSignal): Promise<MadeCapture> {
  const job = await beginCapture(spn, url, signal);
  const answer = await poll(() => askForCapture(spn, job, signal), { ...spn.polling, signal });
  if (answer === undefined) {
    const minutes = Math.round(spn.polling.timeoutMs / 60_000);
    throw new MayPass(serviceFailure(spn.service, `has not captured ${url} in ${minutes} minutes: try again later`));
  }
  const { original_url: original, timestamp } = answer;
  if (typeof timestamp !== 'string' || Number.isNaN(timeOf(timestamp))) {
    throw new MayPass(serviceFailure(spn.service, `says of ${url} no time of its capture`));
  }
  return { url: typeof original === 'string' && URL.canParse(original) ? original : url, timestamp };
}

/** Returns the id of a job. */
async function beginCapture(spn: SavePageNow, url: string, signal: AbortSignal): Promise<string> {
  const { service, keys } = spn;
  // No HEAD request by it (d17), and no browser: a file has no pages.
  const form = new URLSearchParams({ url, force_get: '1', skip_first_archive: '1', capture_all: '0' });
  const answer = await service.send(
    'save',
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headersOf(spn) },
      body: [Buffer.from(form.toString())],
    },
    signal,
  );
  const { job_id: job, status_ext: problem } = fieldsOf(answer);
  if (typeof job === 'string' && /^[\w-]{1,200}$/.test(job)) return job;
  if (answer.status === 401) {
    throw serviceFailure(service, 'does not accept the keys: check the file of --dataset-archiveorg-keys');
  }
  if (answer.status === 429 || isError(problem, SESSION_LIMIT)) {
    await waitForSession(spn, signal);
    throw new MayPass(failureOf(url, SESSION_LIMIT), retryAfterMs(answer.headers));
  }
  if (typeof problem === 'string') throw problemOf(url, problem);
  const failure = serviceFailure(service, `did not begin to capture ${url}: it ${wordsOf(answer, keys)}`);
  throw answer.status >= 500 ? new MayPass(failure, retryAfterMs(answer.headers)) : failure;
}

/** Undefined while the capture is made. */
async function askForCapture(spn: SavePageNow, job: string, signal: AbortSignal): Promise<SpnAnswer | undefined> {
  const { service, keys } = spn;
  // A cache of theirs may answer a URL that was requested before.
  const answer = await service.json(`save/status/${job}?_t=${Date.now()}`, signal, headersOf(spn));
  const fields = fieldsOf(answer);
  if (fields.status === 'pending') return undefined;
  if (fields.status === 'success') return fields;
  if (typeof fields.status_ext === 'string')
    throw problemOf(String(fields.original_url ?? 'a file'), fields.status_ext);
  // It forgets jobs after an hour, and when it restarts.
  throw new MayPass(serviceFailure(service, `does not say what became of a capture: it ${wordsOf(answer, keys)}`));
}

/** Waits until the account may begin another capture. @throws IngestFailure when it may not today */
async function waitForSession(spn: SavePageNow, signal: AbortSignal): Promise<void> {
  if (spn.keys === undefined) return;
  await poll(
    async () => {
      const answer = await spn.service.json(`save/status/user?_t=${Date.now()}`, signal, headersOf(spn));
      const { available, daily_captures: made, daily_captures_limit: most } = Object(answer.json);
      if (Number(made) >= Number(most)) {
        throw serviceFailure(
          spn.service,
          `has made ${made} captures for you today, and makes no more: try again tomorrow`,
        );
      }
      return available === 0 ? undefined : true;
    },
    { ...spn.polling, signal },
  );
}

function headersOf({ keys }: SavePageNow): Readonly<Record<string, string>> {
  return { accept: 'application/json', ...(keys !== undefined && { authorization: keys.authorization }) };
}

const fieldsOf = ({ json }: ServiceAnswer): SpnAnswer => Object(json);
const isError = (problem: unknown, name: string) => problem === `error:${name}`;

function problemOf(url: string, name: string): IngestFailure | MayPass {
  const failure = failureOf(url, name);
  return spnErrorOf(name).passes === true ? new MayPass(failure) : failure;
}

function failureOf(url: string, name: string): IngestFailure {
  const { status, advice } = spnErrorOf(name);
  return new IngestFailure(status, `Save Page Now did not capture ${url} (${name.replace(/^error:/, '')}): ${advice}`);
}
