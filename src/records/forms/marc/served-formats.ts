import { writeOaiDc } from '../../dublin-core.ts';
import { OAI_DC } from '../../metadata-format.ts';
import type { ServedFormat } from '../record-form.ts';
import { dublinCoreOf } from './marc-dc.ts';
import { MarcRecord } from './marc-record.ts';
import { MARCXML_NAMESPACE } from './marcxml-markup.ts';
import { writeMarcXml } from './write-marcxml.ts';

/** What OAI-PMH serves of MARC records. */
export const SERVED_FORMATS: readonly ServedFormat[] = [
  { format: OAI_DC, write: (document) => writeOaiDc(dublinCoreOf(new MarcRecord(document))) },
  {
    format: {
      prefix: 'marc21',
      namespace: MARCXML_NAMESPACE,
      schema: 'http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd',
    },
    write: (document) => writeMarcXml(new MarcRecord(document)),
  },
];
