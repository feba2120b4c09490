import { readdirSync, readFileSync } from 'node:fs';
import type { ErrorDetail, XmlDocument, XmlElement, XsdValidator } from 'libxml2-wasm';
import { NSDL_DC, OAI_DC } from '../../metadata-format.ts';

/** Checks documents by the schemas that come with the program. Nothing is read from the network. */
export interface SchemaCheck {
  /** Whether there is a schema for documents whose root is in this namespace. */
  has(namespace: string): boolean;
  /**
   * The first problems of a document, each with its line and, where it is the only one of its name there, the XPath of
   * the element. None for a namespace without a schema.
   */
  check(namespace: string, xml: string): readonly string[];
  /** Frees its memory. It can be called again; no other call is possible afterwards. */
  close(): void;
}

type Libxml = typeof import('libxml2-wasm');

const FILES: ReadonlyMap<string, string> = new Map([
  [OAI_DC.namespace, 'oai-dc.xsd'],
  [NSDL_DC.namespace, 'nsdl-dc.xsd'],
  ['http://www.openarchives.org/OAI/2.0/', 'oai-pmh.xsd'],
  ['http://www.openarchives.org/OAI/2.0/provenance', 'provenance.xsd'],
  ['urn:tidemark:db-insert', 'db-insert.xsd'],
]);

const MOST_PROBLEMS = 10;
/** The element that a message of libxml2 is about. */
const NAMED_ELEMENT = /^Element '(?:\{[^}]*\})?([\w.-]+)'/;

/** Opens a check. The library is loaded only here: it takes 5 MB. */
export async function openSchemaCheck(): Promise<SchemaCheck> {
  const libxml = await import('libxml2-wasm');
  provided ??= provideSchemas(libxml);
  return new LibxmlSchemaCheck(libxml, provided);
}

type Schemas = Readonly<Record<string, Uint8Array>>;

let provided: Schemas | undefined;

/** Makes the schemas known to libxml2, for those that import others. It has no other files, and no network. */
function provideSchemas({ XmlBufferInputProvider, xmlRegisterInputProvider }: Libxml): Schemas {
  // Beside `src/` and, in the package, beside `dist/`.
  const folder = new URL('../../../../schemas/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.xsd'));
  const schemas = Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, folder))]));
  xmlRegisterInputProvider(new XmlBufferInputProvider(schemas));
  return schemas;
}

class LibxmlSchemaCheck implements SchemaCheck {
  readonly #libxml: Libxml;
  readonly #schemas: Schemas;
  readonly #validators = new Map<string, XsdValidator>();
  readonly #open: Disposable[] = [];

  constructor(libxml: Libxml, schemas: Schemas) {
    this.#libxml = libxml;
    this.#schemas = schemas;
  }

  has(namespace: string): boolean {
    return FILES.has(namespace);
  }

  check(namespace: string, xml: string): readonly string[] {
    const file = FILES.get(namespace);
    if (file === undefined) return [];
    let document: XmlDocument | undefined;
    try {
      document = this.#libxml.XmlDocument.fromString(xml);
      this.#validator(file).validate(document);
      return [];
    } catch (error) {
      if (!(error instanceof this.#libxml.XmlLibError)) throw error;
      return error.details.slice(0, MOST_PROBLEMS).map((detail) => problemOf(detail, document));
    } finally {
      document?.dispose();
    }
  }

  close(): void {
    for (const opened of this.#open.splice(0).reverse()) opened[Symbol.dispose]();
    this.#validators.clear();
  }

  #validator(file: string): XsdValidator {
    const known = this.#validators.get(file);
    if (known !== undefined) return known;
    const document = this.#libxml.XmlDocument.fromBuffer(this.#schemas[file]!, { url: file });
    this.#open.push(document);
    const validator = this.#libxml.XsdValidator.fromDoc(document);
    this.#open.push(validator);
    this.#validators.set(file, validator);
    return validator;
  }
}

function problemOf({ message, line }: ErrorDetail, document: XmlDocument | undefined): string {
  const [, name] = NAMED_ELEMENT.exec(message) ?? [];
  const path = document === undefined || name === undefined ? undefined : pathOf(document, name, line);
  return `line ${line}${path === undefined ? '' : `, ${path}`}: ${message.trim()}`;
}

/** The XPath of the only element of a name in a line. */
function pathOf(document: XmlDocument, name: string, line: number): string | undefined {
  const elements = document.find(`//*[local-name()='${name}']`).filter((node) => node.line === line);
  return elements.length === 1 ? pathOfElement(elements[0] as XmlElement) : undefined;
}

/** With the prefixes of the document, and the position among siblings of the same name. */
function pathOfElement(element: XmlElement): string {
  const { name, prefix, parent } = element;
  const step = `/${prefix === '' ? '' : `${prefix}:`}${name}`;
  if (parent === null) return step;
  let position = 1;
  for (let { prev } = element; prev !== null; prev = prev.prev) if ('name' in prev && prev.name === name) position += 1;
  return `${pathOfElement(parent)}${step}[${position}]`;
}
