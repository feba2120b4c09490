import type { RecordFile, RecordForm } from '../record-form.ts';
import { describedUris } from './described-uris.ts';

const OAI: RecordFile = {
  kind: 'oai',
  title: 'OAI-PMH',
  suffix: '.xml',
  async openWriter(write) {
    const { OaiFile } = await import('./oai-file.ts');
    return new OaiFile(write);
  },
};

/** Records of OAI-PMH in any metadata format. The stored document is described in docs/internals/harvests.md. */
export const oai: RecordForm = {
  title: 'OAI-PMH',
  fileKinds: [
    {
      name: OAI.kind,
      title: OAI.title,
      unit: 'record',
      async *read(chunks, normalization, shared) {
        const { readOai } = await import('./read-oai.ts');
        yield* readOai(chunks, normalization, shared);
      },
      async readFaulty(bytes) {
        const { readFaultyXml } = await import('../../readable/readable-xml.ts');
        return readFaultyXml(bytes);
      },
    },
    {
      name: 'dbinsert',
      title: 'dbInsert of NSDL',
      unit: 'record',
      async *read(chunks, normalization) {
        const { readDbInsert } = await import('./db-insert.ts');
        yield* readDbInsert(chunks, normalization);
      },
      async readFaulty(bytes) {
        const { readFaultyXml } = await import('../../readable/readable-xml.ts');
        return readFaultyXml(bytes);
      },
    },
  ],

  async identify(file) {
    const { identifyOai } = await import('./identify-oai.ts');
    return identifyOai(file);
  },

  records: {
    stored: { mime: 'application/xml', suffix: OAI.suffix },
    rendered: [
      {
        mime: 'application/xml',
        suffix: '.metadata.xml',
        version: 'm1',
        async render(document) {
          const { metadataDocument } = await import('./oai-record.ts');
          return metadataDocument(document);
        },
      },
    ],
    files: [OAI],
    readable: OAI,
    normalizations: [],
    async readFields(document) {
      const { xmlLines } = await import('../../readable/readable-xml.ts');
      return xmlLines(document);
    },
    input: {
      mime: 'application/xml',
      async render(document) {
        const { readOaiRecord } = await import('./oai-record.ts');
        const { derived, metadata = '' } = readOaiRecord(document);
        return Buffer.from(derived?.xml ?? metadata);
      },
    },
    describedUris,
  },
};
