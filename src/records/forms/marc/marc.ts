import type { Normalization } from '../normalization.ts';
import type { ReadItem, RecordFile, RecordForm } from '../record-form.ts';
import { xmlInUtf8 } from '../xml-in-utf8.ts';
import { type PodNormalization, pod } from './normalize/pod.ts';
import type { GoodRecord, ReadMarc } from './read-record.ts';

const MARC21: RecordFile = {
  kind: 'marc21',
  title: 'MARC21',
  suffix: '.mrc',
  openWriter: async (write) => ({ add: write, end() {} }),
};

const MARCXML: RecordFile = {
  kind: 'marcxml',
  title: 'MARCXML',
  suffix: '.xml',
  async openWriter(write) {
    const { MarcXmlFile } = await import('./marcxml-file.ts');
    return new MarcXmlFile(write);
  },
};

/** MARC in its two formats. It is stored as MARC21 in UTF-8: see `MarcRecord`. */
export const marc: RecordForm = {
  title: 'MARC',
  fileKinds: [
    {
      name: MARC21.kind,
      title: MARC21.title,
      unit: 'record',
      async *read(chunks, normalization) {
        const { readMarc21 } = await import('./read-marc21.ts');
        yield* normalized(readMarc21(chunks), normalization);
      },
      async readFaulty(bytes) {
        const { readFaultyMarc } = await import('./readable/faulty-marc.ts');
        return readFaultyMarc(bytes);
      },
    },
    {
      name: MARCXML.kind,
      title: MARCXML.title,
      unit: 'record',
      decode: xmlInUtf8,
      async *read(chunks, normalization) {
        const { readMarcXml } = await import('./read-marcxml.ts');
        yield* normalized(readMarcXml(chunks), normalization);
      },
      async readFaulty(bytes) {
        const { readFaultyXml } = await import('../../readable/readable-xml.ts');
        return readFaultyXml(bytes);
      },
    },
  ],

  async identify(file) {
    const { identifyMarc } = await import('./identify/identify-marc.ts');
    return identifyMarc(file);
  },

  records: {
    // RFC 2220.
    stored: { mime: 'application/marc', suffix: MARC21.suffix },
    rendered: [
      {
        mime: 'application/marcxml+xml',
        suffix: MARCXML.suffix,
        alsoAsked: ['application/xml', 'text/xml'],
        version: 'x1',
        async render(document) {
          const { marcXmlDocument } = await import('./marcxml-file.ts');
          return marcXmlDocument(document);
        },
      },
    ],
    files: [MARC21, MARCXML],
    readable: MARCXML,
    normalizations: [pod],
    async readFields(document) {
      const { readableMarc } = await import('./readable/readable-marc.ts');
      return readableMarc(document);
    },
    async servedFormats() {
      const { SERVED_FORMATS } = await import('./served-formats.ts');
      return SERVED_FORMATS;
    },
  },
};

/** Adds fields to each record. One that they would make too long is an erratum. */
async function* normalized(
  read: ReturnType<ReadMarc>,
  normalization: Normalization | undefined,
): AsyncGenerator<readonly ReadItem[], void, undefined> {
  if (normalization?.kind !== pod.kind) return yield* read;
  const { normalizeRecord } = await import('./normalize/normalize-record.ts');
  const { UnusableRecord } = await import('./faults/unusable-record.ts');
  const withFields = (item: GoodRecord): ReadItem => {
    try {
      return { ...item, record: normalizeRecord(item.record, normalization as PodNormalization) };
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      const { ordinal, offset, id, record } = item;
      return { kind: 'erratum', ordinal, offset, id, title: record.title, reason: error.message, fault: error.fault };
    }
  };
  for await (const batch of read) {
    yield batch.map((item) => (item.kind === 'record' && !item.deleted ? withFields(item) : item));
  }
}
