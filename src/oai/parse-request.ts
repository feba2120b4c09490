import { type Datestamp, parseDatestamp } from './datestamps.ts';
import { type ListVerb, type ProtocolError, ProtocolErrors, protocolError, VERBS, type Verb } from './protocol.ts';

/** The arguments of a request in their order. Both are decoded. */
export type RequestArguments = readonly (readonly [name: string, value: string])[];

export type OaiRequest =
  | { readonly verb: 'Identify' | 'ListSets' }
  | { readonly verb: 'ListMetadataFormats'; readonly identifier?: string | undefined }
  | { readonly verb: 'GetRecord'; readonly identifier: string; readonly metadataPrefix: string }
  | ResumedList
  | NewList;

/** A request for the next part of a list. */
export interface ResumedList {
  readonly verb: ListVerb;
  readonly resumptionToken: string;
}

export interface NewList {
  readonly verb: ListVerb;
  readonly metadataPrefix: string;
  readonly set?: string | undefined;
  readonly from?: Datestamp | undefined;
  readonly until?: Datestamp | undefined;
}

interface ArgumentsOfVerb {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether a resumption token may take the place of all others. */
  readonly isResumable?: true;
}

const LIST: ArgumentsOfVerb = { required: ['metadataPrefix'], optional: ['from', 'until', 'set'], isResumable: true };

/** OAI-PMH 2.0, 4. */
const ARGUMENTS: Readonly<Record<Verb, ArgumentsOfVerb>> = {
  GetRecord: { required: ['identifier', 'metadataPrefix'], optional: [] },
  Identify: { required: [], optional: [] },
  ListIdentifiers: LIST,
  ListMetadataFormats: { required: [], optional: ['identifier'] },
  ListRecords: LIST,
  ListSets: { required: [], optional: [], isResumable: true },
};

const TOKEN = 'resumptionToken';

/** @throws ProtocolErrors with all faults of its arguments */
export function parseRequest(given: RequestArguments): OaiRequest {
  const verb = verbOf(given);
  const values = new Map(given.filter(([name]) => name !== 'verb'));
  const faults = faultsOf(verb, given, values);
  const get = (name: string): string => values.get(name) ?? '';
  const dates = { from: parsedDate(values, 'from', faults), until: parsedDate(values, 'until', faults) };
  if (faults.length === 0) faults.push(...faultsOfRange(dates));
  if (faults.length > 0) throw new ProtocolErrors(faults.map((message) => ({ code: 'badArgument', message })));
  switch (verb) {
    case 'Identify':
      return { verb };
    case 'ListSets':
      if (values.has(TOKEN))
        throw protocolError('badResumptionToken', 'the list of sets has one part: it has no tokens');
      return { verb };
    case 'ListMetadataFormats':
      return { verb, identifier: values.get('identifier') };
    case 'GetRecord':
      return { verb, identifier: get('identifier'), metadataPrefix: get('metadataPrefix') };
    default:
      if (values.has(TOKEN)) return { verb, resumptionToken: get(TOKEN) };
      return { verb, metadataPrefix: get('metadataPrefix'), set: values.get('set'), ...dates };
  }
}

function verbOf(given: RequestArguments): Verb {
  const verbs = given.filter(([name]) => name === 'verb').map(([, value]) => value);
  const verb = VERBS.find((known) => known === verbs[0]);
  if (verbs.length === 1 && verb !== undefined) return verb;
  const problem = { 0: 'there is no argument verb', 1: 'there is no such verb' }[verbs.length] ?? 'verb is repeated';
  throw protocolError('badVerb', `${problem}: use one of ${VERBS.join(', ')}`);
}

function faultsOf(verb: Verb, given: RequestArguments, values: ReadonlyMap<string, string>): string[] {
  const { required, optional, isResumable } = ARGUMENTS[verb];
  const known = [...required, ...optional, ...(isResumable ? [TOKEN] : [])];
  const isResumed = isResumable === true && values.has(TOKEN);
  const faults: string[] = [];
  for (const name of values.keys()) {
    if (!known.includes(name)) faults.push(`${verb} has no argument ${shortened(name)}`);
    else if (isResumed && name !== TOKEN) faults.push(`${TOKEN} excludes the argument ${name}`);
    if (given.filter(([other]) => other === name).length > 1) faults.push(`${shortened(name)} is repeated`);
  }
  if (isResumed) return faults;
  for (const name of required) if (!values.has(name)) faults.push(`${verb} needs the argument ${name}`);
  return faults;
}

function parsedDate(
  values: ReadonlyMap<string, string>,
  name: 'from' | 'until',
  faults: string[],
): Datestamp | undefined {
  const text = values.get(name);
  const date = text === undefined ? undefined : parseDatestamp(text);
  if (text !== undefined && date === undefined) {
    faults.push(`${name} is not a datestamp: use YYYY-MM-DDThh:mm:ssZ or YYYY-MM-DD`);
  }
  return date;
}

function faultsOfRange({ from, until }: Pick<NewList, 'from' | 'until'>): readonly string[] {
  if (from === undefined || until === undefined) return [];
  if (from.granularity !== until.granularity) return ['from and until have different granularities'];
  return from.first > until.first ? ['from is later than until'] : [];
}

const MOST_OF_NAME = 100;

function shortened(name: string): string {
  return JSON.stringify(name.slice(0, MOST_OF_NAME));
}

/** The arguments that an answer repeats: none when they are at fault (OAI-PMH 2.0, 3.2). */
export function repeatedArguments(
  given: RequestArguments,
  errors: readonly Pick<ProtocolError, 'code'>[],
): RequestArguments {
  return errors.some(({ code }) => code === 'badVerb' || code === 'badArgument') ? [] : given;
}
