import type { ChangeEvent, ChangeKind } from '../../core/change.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { encodeState } from '../../core/resource.ts';
import { clockStamp, type Stamp } from '../../core/stamp.ts';
import { isRejection, parsePostedEvent } from '../posted-event.ts';
import type { Rejection } from '../rejection.ts';
import { parseLeniently } from './lenient-event.ts';
import type { RejectionList } from './rejected-documents.ts';
import type { Scratch } from './scratch.ts';
import { isRejected, readDocument, type SourceDocument } from './source-document.ts';
import type { SourceHit, SourceIndex } from './source-index.ts';
import type { TargetSet, TargetSets } from './target-sets.ts';

export interface Reading {
  readonly source: SourceIndex;
  readonly targets: TargetSets;
  readonly scratch: Scratch;
  readonly rejections: RejectionList;
  /** Fields that were wrong and left out; undefined to reject the document instead. */
  readonly leftOutFields: RejectionList | undefined;
  readonly signal: AbortSignal | undefined;
  onProgress(done: number, total: number): void;
}

export interface ReadTotals {
  documents: number;
  /** Documents of sets that were not requested, and tombstones. */
  passedOver: number;
  /** The counts of fields that are not part of the protocol. */
  readonly leftOut: Record<string, number>;
}

/** Reads every document of the index, and puts the accepted ones into the scratch database. Writes nothing else. */
export async function readSource({ signal, onProgress, ...parts }: Reading): Promise<ReadTotals> {
  const reader = new Reader(parts);
  for await (const { hits, total } of parts.source.read()) {
    for (const hit of hits) await reader.take(hit);
    signal?.throwIfAborted();
    onProgress(reader.totals.documents, total);
  }
  return reader.totals;
}

class Reader {
  readonly #parts: Omit<Reading, 'signal' | 'onProgress'>;
  /** Milliseconds since 1970; later times are rejected. */
  readonly #now = Date.now();
  readonly totals: ReadTotals = { documents: 0, passedOver: 0, leftOut: {} };

  constructor(parts: Omit<Reading, 'signal' | 'onProgress'>) {
    this.#parts = parts;
  }

  async take(hit: SourceHit): Promise<void> {
    this.totals.documents += 1;
    const read = readDocument(hit._source, clockStamp(this.#now));
    if (read === undefined) this.totals.passedOver += 1;
    else if (isRejected(read)) this.#parts.rejections.add(nameOf(hit), read);
    else {
      const { targets } = this.#parts;
      const { setName, leftOut } = read;
      // Most documents belong to a known set, and need no wait.
      if (!targets.has(setName)) await this.#meet(hit, setName);
      const target = targets.get(setName);
      if (target === undefined) {
        this.totals.passedOver += 1;
        return;
      }
      for (const field of leftOut) this.totals.leftOut[field] = (this.totals.leftOut[field] ?? 0) + 1;
      this.#sort(hit, { read, target });
    }
  }

  async #meet({ _index, _id }: SourceHit, name: string): Promise<void> {
    try {
      await this.#parts.targets.meet(name);
    } catch (error) {
      if (!isTidemarkError(error, 'invalid')) throw error;
      const { code, message, details } = error;
      throw new TidemarkError(code, `${message} (met in the document ${_id} of ${_index})`, details);
    }
  }

  #sort(hit: SourceHit, { read, target }: { read: SourceDocument; target: TargetSet }): void {
    const { rejections } = this.#parts;
    const event = this.#parse(hit, { read, target });
    if (isRejection(event)) {
      if (event.code === 'no-root') throw missingOption(hit, '--resource-root-dir');
      rejections.add(nameOf(hit), event);
      if (read.kind === 'resource') this.#hold(hit, { read, target });
      return;
    }
    if (needsPrefix(event) && target.toAdd !== undefined && target.toAdd.urlPrefix === undefined) {
      throw missingOption(hit, '--url-prefix');
    }
    const { key, weight, order = null } = event;
    const state = event.state === undefined ? null : encodeState(event.state);
    const row = { target: target.number, key, state, weight, order, written: read.written, sequence: hit._seq_no };
    if (read.kind === 'change') {
      // Its kind was checked with the event.
      const kind = read.event.change as ChangeKind;
      this.#parts.scratch.addChange({ ...row, kind, time: read.time as Stamp });
      target.changes += 1;
      return;
    }
    const other = this.#parts.scratch.putResource({ ...row, document: documentOf(hit) });
    if (other === undefined) target.resources += 1;
    else
      rejections.add(nameOfDocument(other), { code: 'duplicate', message: 'a newer document describes its resource' });
  }

  #parse(hit: SourceHit, { read, target }: { read: SourceDocument; target: TargetSet }): ChangeEvent | Rejection {
    const { leftOutFields } = this.#parts;
    const parse = (event: object) => parsePostedEvent(event, target, this.#now);
    if (leftOutFields === undefined) return parse(read.event);
    const { event, leftOut } = parseLeniently(read.event, parse);
    if (!isRejection(event)) for (const problem of leftOut) leftOutFields.add(nameOf(hit), problem);
    return event;
  }

  /** A resource whose document is rejected still exists: the state of its changes stays. */
  #hold(hit: SourceHit, { read, target }: { read: SourceDocument; target: TargetSet }): void {
    const { location, change } = read.event;
    const event = parsePostedEvent({ location, change }, target, this.#now);
    if (isRejection(event)) return;
    const { written } = read;
    const held = { target: target.number, key: event.key, state: null, weight: 0, order: null };
    this.#parts.scratch.putResource({ ...held, written, sequence: hit._seq_no, document: documentOf(hit) });
  }
}

/** Whether the resource, or one of its links, is below the URL prefix of its set. */
function needsPrefix({ key, state }: ChangeEvent): boolean {
  return key.startsWith('/') || (state?.links?.some(({ href }) => href.startsWith('/')) ?? false);
}

function missingOption({ _index, _id }: SourceHit, option: string): TidemarkError {
  const type = option === '--url-prefix' ? 'rel_path or abs_path' : 'abs_path';
  return new TidemarkError(
    'invalid',
    `the document ${_id} of ${_index} has a location of the type ${type}: say with ${option} what that is meant from`,
  );
}

function nameOf({ _index, _id }: SourceHit): { index: string; id: string } {
  return { index: _index, id: _id };
}

function documentOf({ _index, _id }: SourceHit): string {
  return `${_index}/${_id}`;
}

/** Splits at the first slash: names of indices contain none. */
function nameOfDocument(document: string): { index: string; id: string } {
  const slash = document.indexOf('/');
  return { index: document.slice(0, slash), id: document.slice(slash + 1) };
}
