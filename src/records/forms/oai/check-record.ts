import { excerpt } from '../../../lib/excerpt.ts';
import { recordIdProblem } from '../record-id.ts';
import type { CutRecord } from './cut-record.ts';

/** Milliseconds by which a response date may be behind the clock of its repository. */
const BEHIND_MS = 60_000;
/** OAI-PMH.xsd, setSpecType. */
const SET_SPEC = /^[\w\-.!~*'()]+(?::[\w\-.!~*'()]+)*$/;
const EXPECTED_DATE = 'expected one such as 2026-02-03 or 2026-02-03T04:05:06Z';

/** Why a record is not taken, by OAI-PMH.xsd: a sentence without a full stop. Undefined when it is. */
export function recordProblem({ identifier, datestamp, deleted, metadata, problem }: CutRecord): string | undefined {
  if (identifier === '') return problem ?? 'its header has no identifier';
  if (problem !== undefined) return problem;
  if (datestamp === '') return 'its header has no datestamp';
  if (!isUtcTime(datestamp)) return `its datestamp is ${excerpt(datestamp)}: ${EXPECTED_DATE}`;
  if (!deleted && metadata === undefined) return 'it has no metadata, and is not deleted';
  return recordIdProblem(identifier);
}

interface Expectation {
  /** When the repository has responded; undefined where that is not known. */
  readonly responseDate: string | undefined;
  /** The requested sets; empty: all. */
  readonly sets: readonly string[];
}

/** What is odd about a record that is taken nevertheless. */
export function oddities(
  { datestamp, setSpecs, deleted, metadata }: CutRecord,
  { responseDate, sets }: Expectation,
): readonly string[] {
  const odd: string[] = [];
  if (deleted && metadata !== undefined) odd.push('it is deleted, and has metadata: it is taken as deleted');
  if (datestamp > latestDate(responseDate).slice(0, datestamp.length))
    odd.push(`its datestamp ${excerpt(datestamp)} is more than a minute later than the response`);
  if (sets.length > 0 && !setSpecs.some((spec) => sets.some((set) => isWithin(spec, set)))) {
    odd.push('it is in none of the requested sets');
  }
  return odd;
}

/** Some repositories, such as ours, write a response date that is a little behind their clock. */
function latestDate(responseDate: string | undefined): string {
  const responded = Date.parse(responseDate ?? '');
  return new Date((Number.isNaN(responded) ? Date.now() : responded) + BEHIND_MS).toISOString();
}

/** Whether OAI-PMH allows a setSpec. Others are taken as they are, because many repositories have some. */
export const isSetSpec = (spec: string): boolean => SET_SPEC.test(spec);

/** A set has what is in the sets below it (OAI-PMH 2.0, 2.6). */
const isWithin = (spec: string, set: string): boolean => spec === set || spec.startsWith(`${set}:`);

/** OAI-PMH.xsd, UTCdatetimeType: a day, or a second. */
function isUtcTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/.test(text)) return false;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return false;
  return text.length === 10 ? time.toISOString().startsWith(text) : `${time.toISOString().slice(0, 19)}Z` === text;
}
