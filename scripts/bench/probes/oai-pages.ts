import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Prefix, RecordBytes } from '../support/oai-records.ts';

/**
 * An OAI-PMH repository whose pages are prepared bytes, so that it takes little of the processors. The path is
 * `/oai/NAME/RECORDS/ordered` or `/oai/NAME/RECORDS/shuffled`; of a name, `/control/NAME?changed=10&gone=1` changes
 * records and leaves others out. Lists with `from` have what the last control changed. Prints its URL.
 */

const PAGE = 1_000;
/** Records that a control can leave out all in all. */
const MOST_GONE = 1_000;
const FORMATS: Readonly<Record<Prefix, string>> = {
  oai_dc: formatOf(
    'oai_dc',
    'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
    'http://www.openarchives.org/OAI/2.0/oai_dc/',
  ),
  nsdl_dc: formatOf(
    'nsdl_dc',
    'http://ns.nsdl.org/schemas/nsdl_dc/nsdl_dc_v1.02.xsd',
    'http://ns.nsdl.org/nsdl_dc_v1.02/',
  ),
};
const BEGIN = Date.UTC(2026, 0, 1);

/** What controls have done to the records of a name. */
interface State {
  revision: number;
  changed: number;
  gone: number;
  at: number;
}

interface List {
  readonly prefix: Prefix;
  readonly records: number;
  readonly isShuffled: boolean;
  readonly isIncrement: boolean;
  readonly state: State;
}

const states = new Map<string, State>();
const bytes = new RecordBytes();
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const [, kind, name = '', records = '0', order] = pathname.split('/');
  const state = states.get(name) ?? { revision: 0, changed: 0, gone: 0, at: BEGIN };
  states.set(name, state);
  if (kind === 'control') return control(state, searchParams, response);
  const isShuffled = order === 'shuffled';
  answer({ records: Number(records), isShuffled, state }, searchParams, { request, response });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

function control(state: State, query: URLSearchParams, response: ServerResponse): void {
  state.revision += 1;
  state.changed = Number(query.get('changed') ?? 0);
  state.gone = Math.min(MOST_GONE, state.gone + Number(query.get('gone') ?? 0));
  state.at = Date.now();
  response.end();
}

function answer(
  source: Pick<List, 'records' | 'isShuffled' | 'state'>,
  query: URLSearchParams,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  const url = `http://${request.headers.host}${request.url!.split('?')[0]}`;
  const verb = query.get('verb') ?? '';
  const send = (parts: readonly Buffer[]) => {
    const date = textOf(Date.now());
    const head = `<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${date}</responseDate><request verb="${verb}">${url}</request>`;
    const body = Buffer.concat([Buffer.from(head), ...parts, Buffer.from('</OAI-PMH>\n')]);
    response.writeHead(200, { 'Content-Type': 'text/xml; charset=utf-8', 'Content-Length': body.length }).end(body);
  };
  send(verb === 'ListRecords' ? page(source, query) : [Buffer.from(smallAnswer(verb, url))]);
}

function smallAnswer(verb: string, url: string): string {
  switch (verb) {
    case 'Identify':
      return `<Identify><repositoryName>bench</repositoryName><baseURL>${url}</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>ada@example.org</adminEmail><earliestDatestamp>${textOf(BEGIN)}</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>`;
    case 'ListMetadataFormats':
      return `<ListMetadataFormats>${Object.values(FORMATS).join('')}</ListMetadataFormats>`;
    case 'ListSets':
      return '<error code="noSetHierarchy">There are no sets.</error>';
    default:
      return '<error code="badVerb">It has no such verb.</error>';
  }
}

/** A page of ListRecords. A token is `PREFIX.POSITION`, with `.increment` for a list of changes. */
function page(source: Pick<List, 'records' | 'isShuffled' | 'state'>, query: URLSearchParams): readonly Buffer[] {
  const [prefix, position = '0', kind] = (query.get('resumptionToken') ?? '').split('.');
  const list: List = {
    ...source,
    prefix: (prefix || query.get('metadataPrefix')) as Prefix,
    isIncrement: query.has('from') || kind === 'increment',
  };
  const begin = Number(position);
  const total = list.isIncrement ? list.state.changed : list.records;
  if (total === 0) return [Buffer.from('<error code="noRecordsMatch">Nothing has changed.</error>')];
  const end = Math.min(total, begin + PAGE);
  const records: Buffer[] = [];
  for (let at = begin; at < end; at++) {
    const number = numberAt(list, at);
    if (isGone(list, number)) continue;
    const isChanged = list.state.changed > 0 && number % stepOf(list, list.state.changed) === 0;
    const { revision, at: changed } = isChanged ? list.state : { revision: 0, at: BEGIN };
    records.push(bytes.record(list.prefix, { number, revision, datestamp: textOf(changed) }));
  }
  const token = end < total ? `${list.prefix}.${end}${list.isIncrement ? '.increment' : ''}` : '';
  const size = total - (list.isIncrement ? 0 : list.state.gone);
  const last = `<resumptionToken completeListSize="${size}" cursor="${begin}">${token}</resumptionToken></ListRecords>`;
  return [Buffer.from('<ListRecords>'), ...records, Buffer.from(last)];
}

function numberAt({ records, isShuffled, isIncrement, state }: List, position: number): number {
  if (isIncrement) return position * stepOf({ records }, state.changed);
  return isShuffled ? (position * multiplierFor(records)) % records : position;
}

/** No record is both changed and left out: the former are multiples of a step, the latter come after one. */
function isGone({ records, state }: List, number: number): boolean {
  const step = stepOf({ records }, MOST_GONE);
  return number % step === 1 && Math.floor(number / step) < state.gone;
}

function stepOf({ records }: Pick<List, 'records'>, count: number): number {
  return Math.max(2, Math.floor(records / count));
}

/** Without a common divisor, so that each number comes once. */
function multiplierFor(records: number): number {
  const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));
  let multiplier = Math.floor(records * 0.618) | 1;
  while (divisor(multiplier, records) !== 1) multiplier += 2;
  return multiplier;
}

function formatOf(prefix: Prefix, schema: string, namespace: string): string {
  return `<metadataFormat><metadataPrefix>${prefix}</metadataPrefix><schema>${schema}</schema><metadataNamespace>${namespace}</metadataNamespace></metadataFormat>`;
}

function textOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+/, '');
}
