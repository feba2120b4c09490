import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type FileServer, startFileServer } from './file-server.ts';
import { damaged, type Fault } from './oai-faults.ts';

const OAI = 'http://www.openarchives.org/OAI/2.0/';
const OAI_DC = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const DC = 'http://purl.org/dc/elements/1.1/';

export interface OaiRecord {
  readonly identifier: string;
  /** In the granularity of the repository. */
  readonly datestamp: string;
  readonly sets?: readonly string[];
  readonly deleted?: true;
  /** The element in `metadata`, as XML; by default oai_dc with the identifier as title. */
  readonly metadata?: string;
  /** Elements, each in an `about` of its own. */
  readonly about?: readonly string[];
}

export interface OaiRepository {
  readonly name: string;
  readonly granularity: 'day' | 'second';
  readonly deletions: 'no' | 'transient' | 'persistent';
  readonly formats: readonly { readonly prefix: string; readonly namespace: string; readonly schema: string }[];
  /** Undefined: no set hierarchy. Numbers make as many sets. */
  readonly sets: readonly string[] | number | undefined;
  readonly records: readonly OaiRecord[];
  readonly pageSize: number;
  /** What each token states; undefined states nothing. */
  readonly completeListSize: 'right' | undefined;
  /** Milliseconds for which a token is valid. */
  readonly tokensLiveMs: number;
  /** Of responses, in milliseconds since 1970. */
  readonly now: () => number;
  readonly fault: Fault | undefined;
}

const HONEST: OaiRepository = {
  name: 'Example',
  granularity: 'second',
  deletions: 'persistent',
  formats: [{ prefix: 'oai_dc', namespace: OAI_DC, schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd' }],
  sets: undefined,
  records: [],
  pageSize: 100,
  completeListSize: 'right',
  tokensLiveMs: Number.POSITIVE_INFINITY,
  now: Date.now,
  fault: undefined,
};

/** Records `oai:example.org:1` and so on, one each minute. */
export function oaiRecords(count: number, more: Partial<OaiRecord> = {}): readonly OaiRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    identifier: `oai:example.org:${at + 1}`,
    datestamp: secondOf(Date.UTC(2020, 0, 1) + at * 60_000),
    ...more,
  }));
}

/** oai_dc with elements of Dublin Core, each as `name: value`. */
export function oaiDc(...fields: readonly (readonly [name: string, value: string])[]): string {
  const elements = fields.map(([name, value]) => `<dc:${name}>${escaped(value)}</dc:${name}>`);
  return `<oai_dc:dc xmlns:oai_dc="${OAI_DC}" xmlns:dc="${DC}">${elements.join('')}</oai_dc:dc>`;
}

/**
 * An OAI-PMH repository at 127.0.0.1. It is honest, but for the fault that a test gives it. A test may change what it
 * has at any time, and closes it in `afterEach`.
 */
export class OaiServer {
  repository: OaiRepository;
  #server!: FileServer;
  #faults = 0;

  private constructor(repository: Partial<OaiRepository>) {
    this.repository = { ...HONEST, ...repository };
  }

  static async start(repository: Partial<OaiRepository> = {}): Promise<OaiServer> {
    const started = new OaiServer(repository);
    started.#server = await startFileServer((request, response) => {
      started.#answer(request, response).catch((error: Error) => response.destroy(error));
    });
    return started;
  }

  /** The base URL. */
  get url(): string {
    return `${this.#server.url}/oai`;
  }

  /** The queries that came, without the question mark. */
  get queries(): readonly string[] {
    return this.#server.requests.map((url) => url.slice(url.indexOf('?') + 1));
  }

  /** The queries of a verb. */
  queriesOf(verb: string): readonly string[] {
    return this.queries.filter((query) => query.includes(`verb=${verb}`));
  }

  change(repository: Partial<OaiRepository>): void {
    this.repository = { ...this.repository, ...repository };
    this.#faults = 0;
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = request.method === 'POST' ? await text(request) : new URL(request.url!, 'http://x').search;
    const asked = new URLSearchParams(query);
    const page = pageOf(asked);
    const body = answerTo(asked, this.repository, this.url);
    const { fault } = this.repository;
    const isHit = fault !== undefined && asked.get('verb') === 'ListRecords' && page === (fault.page ?? 2);
    const sent = isHit && this.#faults++ < (fault.times ?? Number.POSITIVE_INFINITY) ? fault.name : undefined;
    const bytes = sent === undefined ? body : damaged(sent, body, response);
    if (bytes !== undefined) response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8' }).end(bytes);
  }
}

interface Position {
  readonly asked: Readonly<Record<string, string>>;
  readonly at: number;
  readonly page: number;
  readonly made: number;
}

function pageOf(asked: URLSearchParams): number {
  const token = asked.get('resumptionToken');
  return token === null ? 1 : (positionOf(token)?.page ?? 2);
}

function positionOf(token: string): Position | undefined {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function answerTo(asked: URLSearchParams, repository: OaiRepository, url: string): string {
  const attributes = [...asked].map(([name, value]) => ` ${name}="${escaped(value)}"`).join('');
  const inner = verbOf(asked, repository, url);
  return `<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="${OAI}"><responseDate>${secondOf(repository.now())}</responseDate><request${attributes}>${url}</request>${inner}</OAI-PMH>`;
}

function verbOf(asked: URLSearchParams, repository: OaiRepository, url: string): string {
  switch (asked.get('verb')) {
    case 'Identify':
      return identify(repository, url);
    case 'ListMetadataFormats':
      return listFormats(repository);
    case 'ListSets':
      return repository.sets === undefined ? error('noSetHierarchy') : listSets(asked, repository);
    case 'ListRecords':
      return listRecords(asked, repository);
    default:
      return error('badVerb');
  }
}

const error = (code: string): string => `<error code="${code}">${code} it is</error>`;

function identify({ name, granularity, deletions }: OaiRepository, url: string): string {
  const unit = granularity === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM-DDThh:mm:ssZ';
  const earliest = granularity === 'day' ? '1990-02-01' : '1990-02-01T12:00:00Z';
  return `<Identify><repositoryName>${escaped(name)}</repositoryName><baseURL>${url}</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>${earliest}</earliestDatestamp><deletedRecord>${deletions}</deletedRecord><granularity>${unit}</granularity></Identify>`;
}

function listFormats({ formats }: OaiRepository): string {
  const each = formats.map(
    ({ prefix, namespace, schema }) =>
      `<metadataFormat><metadataPrefix>${prefix}</metadataPrefix><schema>${schema}</schema><metadataNamespace>${namespace}</metadataNamespace></metadataFormat>`,
  );
  return `<ListMetadataFormats>${each.join('')}</ListMetadataFormats>`;
}

const SETS_OF_A_PAGE = 10_000;

function listSets(asked: URLSearchParams, { sets }: OaiRepository): string {
  const count = typeof sets === 'number' ? sets : sets!.length;
  const { at } = positionOf(asked.get('resumptionToken') ?? '') ?? { at: 0 };
  const specOf = (one: number) => (typeof sets === 'number' ? `set${one}` : sets![one]!);
  const end = Math.min(count, at + SETS_OF_A_PAGE);
  let each = '';
  for (let one = at; one < end; one++)
    each += `<set><setSpec>${escaped(specOf(one))}</setSpec><setName>Set ${escaped(specOf(one))}</setName></set>`;
  const next =
    end < count ? `<resumptionToken>${tokenOf({ asked: {}, at: end, page: 2, made: 0 })}</resumptionToken>` : '';
  return `<ListSets>${each}${next}</ListSets>`;
}

function listRecords(asked: URLSearchParams, repository: OaiRepository): string {
  const token = asked.get('resumptionToken');
  const first: Position = { asked: Object.fromEntries(asked), at: 0, page: 1, made: 0 };
  const position = token === null ? first : positionOf(token);
  const { formats, pageSize, completeListSize, tokensLiveMs } = repository;
  if (position === undefined || (position.page > 1 && Date.now() - position.made > tokensLiveMs))
    return error('badResumptionToken');
  const { metadataPrefix, set } = position.asked;
  if (metadataPrefix === undefined) return error('badArgument');
  if (!formats.some(({ prefix }) => prefix === metadataPrefix)) return error('cannotDisseminateFormat');
  if (set !== undefined && repository.sets === undefined) return error('noSetHierarchy');
  const listed = repository.records.filter((record) => isAsked(record, position.asked));
  if (listed.length === 0) return error('noRecordsMatch');
  const end = position.at + pageSize;
  const records = listed.slice(position.at, end).map(recordXml).join('');
  const size = completeListSize === undefined ? '' : ` completeListSize="${listed.length}" cursor="${position.at}"`;
  const next = end < listed.length && tokenOf({ ...position, at: end, page: position.page + 1, made: Date.now() });
  const isLast = next === false && position.page > 1;
  const tokenXml = next === false && !isLast ? '' : `<resumptionToken${size}>${next || ''}</resumptionToken>`;
  return `<ListRecords>${records}${tokenXml}</ListRecords>`;
}

const tokenOf = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function isAsked({ datestamp, sets = [] }: OaiRecord, { from, until, set }: Position['asked']): boolean {
  if (from !== undefined && datestamp.slice(0, from.length) < from) return false;
  if (until !== undefined && datestamp.slice(0, until.length) > until) return false;
  return set === undefined || sets.some((spec) => spec === set || spec.startsWith(`${set}:`));
}

function recordXml({ identifier, datestamp, sets = [], deleted, metadata, about = [] }: OaiRecord): string {
  const specs = sets.map((spec) => `<setSpec>${escaped(spec)}</setSpec>`).join('');
  const header = `<header${deleted ? ' status="deleted"' : ''}><identifier>${escaped(identifier)}</identifier><datestamp>${datestamp}</datestamp>${specs}</header>`;
  if (deleted) return `<record>${header}</record>`;
  const abouts = about.map((element) => `<about>${element}</about>`).join('');
  return `<record>${header}<metadata>${metadata ?? oaiDc(['title', identifier])}</metadata>${abouts}</record>`;
}

function secondOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
