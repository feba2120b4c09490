import { type ParsedDocument, parseDocument } from './parse-document.ts';
import { type Answer, capabilityOf, entriesOf, isIndex, locOf, type Source, type Truth } from './rules/source.ts';

interface Reading {
  /** What the owner of the source knows, by the URI of each Capability List. */
  readonly truth?: ReadonlyMap<string, Truth>;
  /** The same source some time ago. */
  readonly before?: Source;
}

/** Reads a running source from its Source Description down: every document, and every resource that its lists name. */
export async function readSource(baseUrl: string, { truth = new Map(), before }: Reading = {}): Promise<Source> {
  const description = `${baseUrl}/.well-known/resourcesync`;
  const readAt = Date.now();
  const answers = new Map<string, Answer>();
  const documents = new Map<string, ParsedDocument>();
  const waiting = [description];
  for (const uri of [`${baseUrl}/`, `${baseUrl}/robots.txt`]) answers.set(uri, await get(uri));
  for (let uri = waiting.pop(); uri !== undefined; uri = waiting.pop()) {
    if (documents.has(uri)) continue;
    answers.set(uri, await get(uri));
    if (answers.get(uri)!.status !== 200) continue;
    const document = parseDocument(uri, answers.get(uri)!.body.toString());
    documents.set(uri, document);
    if (leadsToDocuments(document)) waiting.push(...entriesOf(document).map(locOf));
    if (capabilityOf(document) === 'capabilitylist') waiting.push(new URL('changelist-recent.xml', uri).href);
  }
  for (const uri of resourcesOf(documents)) answers.set(uri, await get(uri));
  return { description, documents, answers, readAt, truth, ...(before && { before }) };
}

const leadsToDocuments = (document: ParsedDocument) =>
  isIndex(document) || ['description', 'capabilitylist'].includes(capabilityOf(document) ?? '');

const resourcesOf = (documents: ReadonlyMap<string, ParsedDocument>) =>
  [...documents.values()]
    .filter((document) => capabilityOf(document) === 'resourcelist' && !isIndex(document))
    .flatMap((document) => entriesOf(document).map(locOf));

/** As it is, and as it comes with gzip; a redirect is an answer of its own. */
async function get(uri: string): Promise<Answer> {
  const [plain, packed] = await Promise.all(
    ['identity', 'gzip'].map((encoding) =>
      fetch(uri, { headers: { 'accept-encoding': encoding }, redirect: 'manual' }),
    ),
  );
  const body = Buffer.from(await plain!.arrayBuffer());
  const unpacked = Buffer.from(await packed!.arrayBuffer());
  return { status: plain!.status, headers: Object.fromEntries(plain!.headers), body, unpacked };
}
