import { SaxesParser, type SaxesTagNS } from 'saxes';
import { excerpt } from '../../../lib/excerpt.ts';
import { OAI_NAMESPACE, STATIC_NAMESPACE } from './oai-record.ts';
import { DEEPEST } from './record-parser.ts';
import type { Scope } from './start-tag.ts';

/** Most characters of a tag, a text or a comment outside of records: saxes keeps it in memory until its end. */
export const LONGEST_TOKEN = 1_000_000;

const VERBS = ['ListRecords', 'GetRecord'];
const CHILDREN_OF_REPOSITORY = ['Identify', 'ListMetadataFormats', 'ListRecords'];
/** Some repositories add a fraction of a second, which XML Schema allows. */
const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

const DOCTYPE = 'it has a document type (DOCTYPE), which OAI-PMH does not have';
/** Characters of a resumption token. */
const LONGEST_RESUMPTION = 100_000;
const MOST_ERRORS = 20;

interface EnvelopeOptions {
  /** The prefix of the format that is read of a static repository; the first one, if undefined. */
  readonly format?: string | undefined;
  /** The responses that are read. */
  readonly verbs?: readonly string[];
  /** Whether the caller judges errors. Otherwise, those but `noRecordsMatch` are faults. */
  readonly takesErrors?: boolean;
}

interface OaiError {
  readonly code: string;
  readonly text: string;
}

/** Thrown for an envelope that cannot be read, or is not one of OAI-PMH: nothing behind that is read. */
export class PageFault extends Error {}

/**
 * What is around the records of a page: a response to ListRecords or GetRecord, or a static repository. Checks what
 * OAI-PMH.xsd demands of it. Records are not passed to it.
 */
export class PageEnvelope {
  readonly #sax = new SaxesParser({ xmlns: true });
  readonly #options: EnvelopeOptions;
  readonly #verbs: readonly string[];
  readonly #open: string[] = [];
  readonly #children: string[] = [];
  #isStatic = false;
  #hasEnded = false;
  #scopes: Scope[] = [new Map()];
  #list: { readonly depth: number; readonly scope: Scope } | undefined;
  #hasToken = false;
  #text = '';
  #errorCode = '';
  #written = 0;
  /** Where the last tag, text or comment ended. */
  #lastToken = 0;
  /** The position behind the last tag in the list. */
  #boundary = -1;
  #responseDate: string | undefined;
  #token: string | undefined;
  #completeListSize: number | undefined;
  /** At most 20. */
  readonly errors: OaiError[] = [];
  /** Prefixes of other formats of a static repository, whose records are not read. */
  readonly skipped: string[] = [];

  constructor(options: EnvelopeOptions = {}) {
    this.#options = options;
    this.#verbs = options.verbs ?? VERBS;
    const sax = this.#sax;
    sax.on('doctype', () => fault(DOCTYPE));
    sax.on('opentag', (tag) => this.#openTag(tag));
    sax.on('text', (text) => this.#addText(text));
    sax.on('cdata', (text) => this.#addText(text));
    sax.on('comment', () => this.#endToken());
    sax.on('closetag', (tag) => this.#closeTag(tag));
  }

  /** The namespaces around a record that may come next; undefined where none may. */
  get scopeOfNext(): Scope | undefined {
    return this.#boundary === this.#written ? this.#list?.scope : undefined;
  }

  /** When the repository has responded; undefined for a static one. */
  get responseDate(): string | undefined {
    return this.#responseDate;
  }

  /** Empty when the element is; undefined without one. */
  get token(): string | undefined {
    return this.#token;
  }

  get completeListSize(): number | undefined {
    return this.#completeListSize;
  }

  get isStatic(): boolean {
    return this.#isStatic;
  }

  /** Whether the root element has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** @throws PageFault */
  write(text: string): void {
    // saxes reports it at its end, behind all entities.
    if (this.#open.length === 0 && /^\s*<!DOCTYPE/i.test(text)) fault(DOCTYPE);
    this.#parse(() => this.#sax.write(text));
    this.#written += text.length;
    if (this.#written - this.#lastToken > LONGEST_TOKEN)
      fault(`it has a token of more than ${LONGEST_TOKEN} characters`);
  }

  /** Takes white space, or a whole comment, between records. @throws PageFault */
  writeBetween(text: string): void {
    this.write(text);
    this.#boundary = this.#written;
  }

  /** @throws PageFault when it is not complete */
  end(): void {
    this.#parse(() => this.#sax.close());
  }

  #endToken(): void {
    this.#lastToken = this.#sax.position;
  }

  #parse(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof PageFault) throw error;
      fault(`it is not well-formed XML: ${xmlProblem((error as Error).message)}`);
    }
  }

  #openTag(tag: SaxesTagNS): void {
    this.#endToken();
    const depth = this.#open.push(tag.local);
    if (depth > DEEPEST) fault(`its elements are nested more than ${DEEPEST} deep`);
    this.#scopes.push(new Map([...this.#scopes.at(-1)!, ...Object.entries(tag.ns)]));
    this.#text = '';
    if (depth === 1) this.#openRoot(tag);
    else if (this.#isStatic) this.#openInRepository(tag);
    else if (depth === 2) this.#openInResponse(tag);
    else if (this.#list !== undefined && depth === this.#list.depth + 1) this.#openInList(tag);
  }

  #openRoot({ uri, local }: SaxesTagNS): void {
    const { encoding } = this.#sax.xmlDecl;
    if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) {
      fault(`it is declared to be in ${encoding}: OAI-PMH has UTF-8`);
    }
    this.#isStatic = uri === STATIC_NAMESPACE && local === 'Repository';
    if (this.#isStatic || (uri === OAI_NAMESPACE && local === 'OAI-PMH')) return;
    fault(`its first element is <${local}> of the namespace ${excerpt(uri)}: expected <OAI-PMH> of ${OAI_NAMESPACE}`);
  }

  #openInResponse({ uri, local, name, attributes }: SaxesTagNS): void {
    if (uri !== OAI_NAMESPACE) fault(`it has <${name}> of the namespace ${excerpt(uri)}, which is not of OAI-PMH`);
    const before = this.#children.length;
    // The words of a repository count, also where something is missing before them.
    const mayBeFirst = isError(local) && this.#options.takesErrors === true;
    const isExpected =
      before < 2 ? mayBeFirst || local === ['responseDate', 'request'][before] : before === 2 || isError(local);
    if (this.errors.length > 0 && VERBS.includes(local)) fault(`it has an error beside records (${this.#words()})`);
    if (!isExpected || (before > 2 && this.#children[2] !== 'error')) {
      fault(
        `it has <${name}> after ${this.#children.at(-1) ?? 'its begin'}: expected responseDate, request and a list`,
      );
    }
    if (before > 1 && !isError(local) && !this.#verbs.includes(local))
      fault(`it is the response to ${local}: ${this.#expected()}`);
    this.#children.push(local);
    this.#errorCode = attributes.code?.value ?? '';
    if (VERBS.includes(local)) this.#beginList(2);
  }

  #openInRepository({ uri, local, name, attributes }: SaxesTagNS): void {
    if (this.#open.length > 2) return;
    if (uri !== STATIC_NAMESPACE || !CHILDREN_OF_REPOSITORY.includes(local)) {
      fault(`it has <${name}>, which a static repository does not have`);
    }
    if (local !== 'ListRecords') return;
    const prefix = attributes.metadataPrefix?.value ?? '';
    const isWanted = this.#options.format === undefined ? this.#children.length === 0 : prefix === this.#options.format;
    if (!isWanted) {
      this.skipped.push(prefix);
      return;
    }
    this.#children.push(local);
    this.#beginList(2);
  }

  #openInList({ uri, local, name, attributes }: SaxesTagNS): void {
    if (uri !== OAI_NAMESPACE || local !== 'resumptionToken') fault(`it has <${name}> beside its records`);
    if (this.#hasToken) fault('it has more than one resumptionToken');
    this.#hasToken = true;
    const size = attributes.completeListSize?.value ?? '';
    if (/^\d{1,15}$/.test(size)) this.#completeListSize = Number(size);
  }

  #beginList(depth: number): void {
    this.#list = { depth, scope: this.#scopes.at(-1)! };
    this.#boundary = this.#sax.position;
  }

  #addText(text: string): void {
    this.#endToken();
    this.#text += text;
    if (this.#text.length > LONGEST_RESUMPTION && this.#hasToken)
      fault(`its resumptionToken has more than ${LONGEST_RESUMPTION / 1000} kB`);
    const depth = this.#open.length;
    const isBetween = depth === 1 || depth === this.#list?.depth;
    if (isBetween && /[^ \t\n\r]/.test(text)) fault(`it has the text ${excerpt(text.trim())} between its elements`);
  }

  #closeTag({ local }: SaxesTagNS): void {
    this.#endToken();
    const depth = this.#open.length;
    this.#open.pop();
    this.#scopes.pop();
    if (depth === 2 && !this.#isStatic) this.#closeInResponse(local);
    if (depth - 1 === this.#list?.depth && this.#hasToken) this.#token = this.#text.trim();
    if (depth === 1) this.#closeRoot();
    if (depth === this.#list?.depth) this.#list = undefined;
    else if (depth - 1 === this.#list?.depth) this.#boundary = this.#sax.position;
  }

  #closeInResponse(local: string): void {
    const text = this.#text.trim();
    if (local === 'responseDate') {
      const [, seconds] = DATE.exec(text) ?? [];
      if (seconds === undefined)
        fault(`its responseDate is ${excerpt(text)}: expected one such as 2026-02-03T04:05:06Z`);
      this.#responseDate = `${seconds}Z`;
    }
    if (!isError(local)) return;
    const error = { code: this.#errorCode.slice(0, 100), text: text.slice(0, 1_000) };
    if (this.errors.length < MOST_ERRORS) this.errors.push(error);
    // A list without records: harvests of what has changed since have it.
    if (this.#options.takesErrors || this.#errorCode === 'noRecordsMatch') return;
    fault(`the repository has answered with the error ${this.#errorCode}: ${excerpt(text)}`);
  }

  #words(): string {
    return this.errors.map(({ code, text }) => `${code}: ${text}`).join('; ');
  }

  #expected(): string {
    return `expected one to ${this.#verbs.join(' or ')}`;
  }

  #closeRoot(): void {
    this.#hasEnded = true;
    const { length } = this.#children;
    const isComplete = this.#isStatic ? length > 0 : length > 2 || this.errors.length > 0;
    if (isComplete) return;
    const format = this.#options.format === undefined ? '' : ` in the format ${this.#options.format}`;
    fault(this.#isStatic ? `the static repository has no records${format}` : `it is no response: ${this.#expected()}`);
  }
}

const isError = (local: string): boolean => local === 'error';

function fault(message: string): never {
  throw new PageFault(message);
}

/** The message of saxes without the place, which is counted in bytes here. */
export function xmlProblem(message: string): string {
  return message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
}
