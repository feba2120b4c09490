import { SaxesParser } from 'saxes';
import { FetchFailure } from '../../../client/read/fetcher.ts';
import { ReadFailure } from '../../../client/read/read-failure.ts';
import { OAI_NAMESPACE, STATIC_NAMESPACE } from '../../forms/oai/oai-record.ts';

/** An element without children of an answer: `Identify/repositoryName`. */
interface OaiElement {
  /** Local names, without that of the root. */
  readonly path: string;
  /** Without white space around it. */
  readonly text: string;
  /** By local name. */
  readonly attributes: Readonly<Record<string, string>>;
}

const ROOTS: Readonly<Record<string, string>> = { 'OAI-PMH': OAI_NAMESPACE, Repository: STATIC_NAMESPACE };
const MOST_TEXT = 100_000;
const DEEPEST = 100;

/**
 * Reads a small answer, such as that to Identify, and returns whether it is a static repository. Records are passed
 * over.
 * @param take called with each element of OAI-PMH that has no children, in their order
 * @throws ReadFailure when it is no complete answer of OAI-PMH
 */
export async function readElements(
  chunks: AsyncIterable<Buffer>,
  take: (element: OaiElement) => void,
): Promise<{ readonly isStatic: boolean }> {
  const sax = new SaxesParser({ xmlns: true });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const path: string[] = [];
  let root: string | undefined;
  let text = '';
  let attributes: Record<string, string> = {};
  let isLeaf = false;
  sax.on('error', (error) => {
    throw new ReadFailure(`it is not well-formed: ${error.message}`);
  });
  sax.on('doctype', () => {
    throw new ReadFailure('it has a document type (DOCTYPE), as web pages have: no answer of OAI-PMH has one');
  });
  sax.on('opentag', (tag) => {
    if (path.length === 0) {
      if (ROOTS[tag.local] !== tag.uri) throw otherRoot(tag.name);
      root = tag.local;
    }
    if (path.length >= DEEPEST) throw new ReadFailure(`its elements are nested more than ${DEEPEST} deep`);
    path.push(tag.local);
    attributes = Object.fromEntries(Object.values(tag.attributes).map(({ local, value }) => [local, value]));
    text = '';
    isLeaf = true;
  });
  const addText = (more: string) => {
    text += more;
    if (text.length > MOST_TEXT) throw new ReadFailure(`it has a text of more than ${MOST_TEXT} characters`);
  };
  sax.on('text', addText);
  sax.on('cdata', addText);
  sax.on('closetag', () => {
    if (isLeaf && path[2] !== 'record') take({ path: path.slice(1).join('/'), text: text.trim(), attributes });
    isLeaf = false;
    text = '';
    path.pop();
  });
  for await (const chunk of chunks) sax.write(decoded(decoder, chunk));
  if (root === undefined || path.length > 0) throw new FetchFailure('it is empty, or ends early');
  sax.close();
  return { isStatic: root === 'Repository' };
}

function otherRoot(name: string): ReadFailure {
  return new ReadFailure(
    `its root element is <${name.slice(0, 100)}>, and not <OAI-PMH> of the namespace ${OAI_NAMESPACE}`,
  );
}

function decoded(decoder: TextDecoder, chunk: Buffer): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw new ReadFailure('it has bytes that are not UTF-8', { cause: error });
  }
}
