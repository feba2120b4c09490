import { firstElement } from '../../first-element.ts';
import type { FileBeginning, FileIdentity } from '../../record-form.ts';
import { beginsAsMarc21 } from './identify-marc21.ts';
import { marcXmlProblem } from './identify-marcxml.ts';

export async function identifyMarc({ head, peek }: FileBeginning): Promise<FileIdentity | undefined> {
  if (beginsAsMarc21(head)) return { kind: 'marc21' };
  if (beginsAsMarcEdit(head)) {
    return { problem: 'it is MARC as text, as MarcEdit writes it: save it as MARC21 or MARCXML' };
  }
  const first = await firstElement({ head, peek });
  if (first === undefined || 'problem' in first) return first;
  const problem = marcXmlProblem(first);
  return problem === undefined ? { kind: 'marcxml' } : { problem };
}

const beginsAsMarcEdit = (head: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?[ \t\r\n]*=LDR {2}/.test(head.toString('latin1', 0, 24));
