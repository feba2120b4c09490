import type * as z from 'zod';
import { CHANGE_KINDS } from '../core/change.ts';
import { fieldProblem } from '../core/issue-text.ts';
import { LOCATION_TYPES } from '../core/key.ts';
import { LEAST_PRIORITY } from '../core/link-relations.ts';
import { excerpt } from '../lib/excerpt.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { LINK_FIELDS, postedEventSchema } from './posted-schema.ts';

/** Why an event was rejected. Other events are not affected. */
export interface Rejection {
  readonly status: 'rejected';
  readonly code: string;
  readonly message: string;
  /** The field at fault, such as `ln[0].rel`. */
  readonly field?: string;
}

type Issue = z.core.$ZodIssue;

const EVENT_FIELDS = Object.keys(postedEventSchema.shape);
const LOCATION_FIELDS = ['value', 'type'];
const SYNONYMS: Readonly<Record<string, string>> = {
  loc: 'location',
  uri: 'location',
  url: 'location',
  path: 'location',
  size: 'length',
  type: 'mime',
  modified: 'lastmod',
  links: 'ln',
  sha256: 'hash',
  'sha-256': 'hash',
  sha1: 'hash',
  kind: 'change',
  set: 'resource_set',
};

const LINK_SYNONYMS: Readonly<Record<string, string>> = {
  type: 'mime',
  lastmod: 'modified',
  size: 'length',
  priority: 'pri',
  loc: 'href',
};

/** Describes what is wrong with the structure of a posted event. */
export function rejectionOf(value: unknown, issues: readonly Issue[]): Rejection {
  // A misspelt name is also a missing one: the misspelling is the more useful message.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  if (issue.code === 'unrecognized_keys') return unknownField(issue.path, issue.keys[0]!);
  const field = fieldName(issue.path);
  if (field === '') {
    return { status: 'rejected', code: 'not-an-object', message: 'an event is a JSON object with location and change' };
  }
  const given = valueAt(value, issue.path);
  const { code, message } = given === undefined ? missing(field) : wrong(field, given, issue);
  return { status: 'rejected', code, message, field };
}

/** Formats the path of a field: `ln[0].href.type`. */
function fieldName(path: readonly PropertyKey[]): string {
  let name = '';
  for (const step of path) name += typeof step === 'number' ? `[${step}]` : `${name === '' ? '' : '.'}${String(step)}`;
  return name;
}

function unknownField(path: readonly PropertyKey[], key: string): Rejection {
  const meant = path.length === 0 ? eventField(key) : (linkField(path, key) ?? nearestName(key, fieldsAt(path)));
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  const name = JSON.stringify(key.slice(0, 80));
  return {
    status: 'rejected',
    code: 'unknown-field',
    message: `there is no field ${name}${path.length === 0 ? '' : ` in ${fieldName(path)}`}${hint}`,
    field: fieldName([...path, key.slice(0, 80).toWellFormed()]),
  };
}

function eventField(key: string): string | undefined {
  return Object.hasOwn(SYNONYMS, key) ? SYNONYMS[key] : nearestName(key, EVENT_FIELDS);
}

function linkField(path: readonly PropertyKey[], key: string): string | undefined {
  return typeof path.at(-1) === 'number' && Object.hasOwn(LINK_SYNONYMS, key) ? LINK_SYNONYMS[key] : undefined;
}

function fieldsAt(path: readonly PropertyKey[]): readonly string[] {
  const last = path.at(-1);
  return last === 'location' || last === 'href' ? LOCATION_FIELDS : LINK_FIELDS;
}

function missing(field: string): { code: string; message: string } {
  const [, link] = /^ln\[\d+\]\.(rel|href)$/.exec(field) ?? [];
  return { code: link === undefined ? 'missing-field' : `link-without-${link}`, message: `${field} is missing` };
}

function wrong(field: string, given: unknown, issue: Issue): { code: string; message: string } {
  const found = `${field} is ${excerpt(given)}`;
  if (field === 'change') return { code: 'unknown-change', message: `${found}; use one of ${CHANGE_KINDS.join(', ')}` };
  if (field.endsWith('.type')) {
    return { code: 'unknown-location-type', message: `${found}; use one of ${LOCATION_TYPES.join(', ')}` };
  }
  const [number] = /(?<![^.])(?:length|position|order)$/.exec(field) ?? [];
  if (number !== undefined) {
    if (typeof given === 'number') return { code: wrongNumber(number, given), message: `${found}; ${WHOLE_NUMBER}` };
    return { code: 'wrong-type', message: `${found}; ${WHOLE_NUMBER}` };
  }
  if (field.endsWith('.pri')) return { code: 'bad-priority', message: `${found}; ${PRIORITY}` };
  if (given === null) return { code: 'wrong-type', message: `${found}; leave out a field that is not known` };
  return { code: issue.code === 'too_big' ? 'too-long' : 'wrong-type', message: fieldProblem(field, issue.message) };
}

const PRIORITY = `it is a whole number from 1 to ${LEAST_PRIORITY} (ResourceSync 1.1, 7)`;
const WHOLE_NUMBER = 'it is a whole number from 0 to 9007199254740991';

function wrongNumber(field: string, given: number): string {
  if (given < 0) return `negative-${field}`;
  return Number.isInteger(given) || given > Number.MAX_SAFE_INTEGER ? `${field}-too-large` : `fractional-${field}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}
