/** The metadata formats of the repository of the benches. */
export type Prefix = 'oai_dc' | 'nsdl_dc';

export interface RecordValues {
  readonly number: number;
  readonly revision: number;
  /** 20 characters: 2026-01-01T00:00:00Z. */
  readonly datestamp: string;
}

interface Template {
  readonly bytes: Buffer;
  /** Where the number is: eight digits at each. */
  readonly numbers: readonly number[];
  readonly revision: number;
  readonly datestamp: number;
}

/** So many different texts: those of a page differ. */
const TEXTS = 1_000;
/** Of a whole record. */
const BYTES = 1_300;
const WORDS = 5_000;
const NUMBER = '########';
const REVISION = '@@@@';
const DATESTAMP = '~'.repeat(20);
const ROOTS: Readonly<Record<Prefix, readonly [string, string]>> = {
  oai_dc: ['oai_dc:dc', 'xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'],
  nsdl_dc: ['nsdl_dc:nsdl_dc', 'xmlns:nsdl_dc="http://ns.nsdl.org/nsdl_dc_v1.02/" schemaVersion="1.02.020"'],
};

/** Records of 1.3 kB as OAI-PMH answers have them: prepared texts into which a number and dates are written. */
export class RecordBytes {
  readonly #templates = new Map<Prefix, readonly Template[]>();

  record(prefix: Prefix, { number, revision, datestamp }: RecordValues): Buffer {
    const templates = this.#templates.get(prefix) ?? templatesOf(prefix);
    this.#templates.set(prefix, templates);
    const template = templates[number % TEXTS]!;
    const record = Buffer.from(template.bytes);
    const digits = String(number).padStart(NUMBER.length, '0');
    for (const at of template.numbers) record.write(digits, at, 'latin1');
    record.write(String(revision).padStart(REVISION.length, '0'), template.revision, 'latin1');
    record.write(datestamp, template.datestamp, 'latin1');
    return record;
  }
}

function templatesOf(prefix: Prefix): readonly Template[] {
  const random = alwaysTheSame();
  const words = Array.from({ length: WORDS }, () => wordOf(random));
  return Array.from({ length: TEXTS }, (_, number) => {
    const bytes = Buffer.from(textOf(prefix, { words, random, number }));
    return {
      bytes,
      numbers: placesOf(bytes, NUMBER),
      revision: bytes.indexOf(REVISION),
      datestamp: bytes.indexOf(DATESTAMP),
    };
  });
}

interface Random {
  readonly words: readonly string[];
  readonly random: () => number;
  readonly number: number;
}

function textOf(prefix: Prefix, { words, random, number }: Random): string {
  const [root, namespaces] = ROOTS[prefix];
  const say = (count: number) =>
    Array.from({ length: count }, () => words[Math.floor(random() ** 3 * WORDS)]).join(' ');
  const letters = number % 4 === 0 ? 'Ženský časopis — ' : '';
  const head = `<record><header><identifier>oai:bench.example.org:${NUMBER}</identifier><datestamp>${DATESTAMP}</datestamp></header><metadata><${root} ${namespaces} xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${letters}${say(8)}</dc:title><dc:identifier>https://bench.example.org/${NUMBER}</dc:identifier>`;
  const tail = `<dc:type>Text</dc:type><dc:language>en</dc:language></${root}></metadata></record>`;
  let subjects = '';
  for (let count = 0; count < 4; count++) subjects += `<dc:subject>${say(2)}</dc:subject>`;
  let description = `Revision ${REVISION}`;
  const rest = BYTES - Buffer.byteLength(head + tail + subjects) - '<dc:description></dc:description>'.length;
  while (description.length < rest) description += ` ${say(1)}`;
  return `${head}${subjects}<dc:description>${description.slice(0, Math.max(14, rest))}</dc:description>${tail}`;
}

function placesOf(bytes: Buffer, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  return places;
}

function wordOf(random: () => number): string {
  return Array.from({ length: 2 + Math.floor(random() * 9) }, () =>
    String.fromCharCode(97 + Math.floor(random() * 26)),
  ).join('');
}

/** Numbers from 0 to 1 that look random, and are the same every time. */
function alwaysTheSame(): () => number {
  let seed = 54_321;
  return () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
}
