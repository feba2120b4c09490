import { TidemarkError } from '../../core/errors.ts';
import { parseCron } from '../../lib/cron.ts';
import { requireUrl } from '../arrivals/upload.ts';
import { checkedTitle } from '../organization.ts';
import { MOST_CRON } from '../stream-dump-settings.ts';
import type { CollectionChanges, CollectionFields } from './collection.ts';

/** Most sets of one collection: each of them is a list of its own. */
const MOST_SETS = 1_000;
const MOST_SPEC = 1_000;
const MOST_LINE = 500;
/** As OAI-PMH.xsd has it: metadataPrefixType. */
const PREFIX = /^[A-Za-z0-9\-_.!~*'()]{1,100}$/;
/** The arguments of OAI-PMH, which belong to requests, and not to a base URL. */
const ARGUMENTS = ['verb', 'metadataPrefix', 'set', 'from', 'until', 'identifier', 'resumptionToken'];
/** What a transform of XML can be, besides the included ones. */
const TRANSFORM = /^(?:nsdl_dc|oai_dc)$|\.(?:xslt?|json|[mc]?[jt]s)$/i;

/** Checks the values, and leaves out what is absent, false or empty. @throws TidemarkError `invalid` */
export function checkedCollection(given: CollectionChanges): CollectionFields {
  const { baseUrl = '', format = '', sets = [], malformed = 'stop' } = given;
  if (malformed !== 'stop' && malformed !== 'skip') throw invalid('malformed', 'malformed is stop or skip');
  return {
    ...checkedTitle(given.title),
    baseUrl: checkedBaseUrl(baseUrl),
    format: checkedFormat(format),
    sets: checkedSets(sets),
    malformed,
    ...(given.validate && { validate: true }),
    ...(given.requireUri && { requireUri: true }),
    ...checkedTransform(given.transform),
    ...checkedLine('handle', given.handle),
    ...checkedMessage(given.message),
    ...checkedSchedule('schedule', given.schedule),
    ...checkedSchedule('fullSchedule', given.fullSchedule),
  };
}

function checkedBaseUrl(text: string): string {
  try {
    requireUrl(text, 'https://oai.example.org/oai');
  } catch (error) {
    throw invalid('baseUrl', `the base URL${(error as Error).message.replace(/^the url/, '')}`);
  }
  const url = new URL(text);
  const argument = ARGUMENTS.find((name) => url.searchParams.has(name));
  if (argument !== undefined) {
    throw invalid('baseUrl', `the base URL has the argument ${argument}, which each request adds: leave it out`);
  }
  url.hash = '';
  return url.href;
}

function checkedFormat(text: string): string {
  if (PREFIX.test(text)) return text;
  throw invalid('format', `${quoted(text)} is not a metadata prefix: use one such as oai_dc`);
}

function checkedSets(sets: readonly string[]): readonly string[] {
  if (sets.length > MOST_SETS) throw invalid('sets', `there are more than ${MOST_SETS} sets`);
  const wrong = sets.find((spec) => !isLine(spec, MOST_SPEC));
  if (wrong !== undefined) throw invalid('sets', `${quoted(wrong)} is not a setSpec`);
  return [...new Set(sets)];
}

function checkedTransform(transform: string | undefined): Pick<CollectionFields, 'transform'> {
  if (transform === undefined || transform === '') return {};
  if (TRANSFORM.test(transform) && isLine(transform, 4_096)) return { transform };
  const known = 'use nsdl_dc, oai_dc, or the path of an XSLT (.xsl), a mapping (.json) or a module (.js)';
  throw invalid('transform', `${quoted(transform)} is not a transform: ${known}`);
}

function checkedMessage(message: string | undefined): Pick<CollectionFields, 'message'> {
  if (message === undefined || message === '') return {};
  try {
    requireUrl(message, 'https://example.org/harvested');
  } catch (error) {
    throw invalid('message', `the URL of the message${(error as Error).message.replace(/^the url/, '')}`);
  }
  return { message };
}

function checkedLine<Name extends 'handle'>(name: Name, text: string | undefined): Partial<Record<Name, string>> {
  if (text === undefined || text === '') return {};
  if (!isLine(text, MOST_LINE)) throw invalid(name, `the ${name} is one line of at most ${MOST_LINE} characters`);
  return { [name]: text } as Record<Name, string>;
}

function checkedSchedule<Name extends 'schedule' | 'fullSchedule'>(
  name: Name,
  pattern: string | undefined,
): Partial<Record<Name, string>> {
  if (pattern === undefined || pattern === '') return {};
  try {
    if (pattern.length > MOST_CRON) throw new Error(`it has more than ${MOST_CRON} characters`);
    parseCron(pattern, 'UTC');
  } catch (error) {
    throw invalid(name, `${quoted(pattern)} is not a schedule: ${(error as Error).message}`);
  }
  return { [name]: pattern } as Record<Name, string>;
}

function isLine(text: string, most: number): boolean {
  return text !== '' && text.length <= most && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));

function invalid(field: string, message: string): TidemarkError {
  return new TidemarkError('invalid', message, { field });
}
