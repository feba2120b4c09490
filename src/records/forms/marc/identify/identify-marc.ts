import type { FileBeginning, FileIdentity } from '../../record-form.ts';
import { beginsAsMarc21 } from './identify-marc21.ts';
import { beginsAsXml, identifyXml } from './identify-marcxml.ts';

/** Bytes of XML that are read when its first element comes late. */
const XML_HEAD_BYTES = 1024 * 1024;

export async function identifyMarc({ head, peek }: FileBeginning): Promise<FileIdentity | undefined> {
  if (beginsAsMarc21(head)) return { kind: 'marc21' };
  if (beginsAsMarcEdit(head)) {
    return { problem: 'it is MARC as text, as MarcEdit writes it: save it as MARC21 or MARCXML' };
  }
  if (!beginsAsXml(head)) return undefined;
  const problem = identifyXml(head) ?? identifyXml(await peek(XML_HEAD_BYTES));
  if (problem === '') return { kind: 'marcxml' };
  return { problem: problem ?? `it is XML without an element in its first ${XML_HEAD_BYTES} bytes` };
}

const beginsAsMarcEdit = (head: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?[ \t\r\n]*=LDR {2}/.test(head.toString('latin1', 0, 24));
