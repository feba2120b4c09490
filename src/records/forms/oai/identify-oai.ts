import { firstElement } from '../first-element.ts';
import type { FileBeginning, FileIdentity } from '../record-form.ts';
import { OAI_NAMESPACE, STATIC_NAMESPACE } from './oai-record.ts';

/** Recognizes a response of OAI-PMH, a static repository and a dbInsert file of NSDL by the first element. */
export async function identifyOai({ head, peek }: FileBeginning): Promise<FileIdentity | undefined> {
  const first = (await firstElement({ head, peek })) ?? { problem: '' };
  if ('problem' in first) return undefined;
  const { uri, local } = first;
  const isResponse = uri === OAI_NAMESPACE && local === 'OAI-PMH';
  // It may have the namespace of any program.
  if (local === 'dbInsert') return { kind: 'dbinsert' };
  return isResponse || (uri === STATIC_NAMESPACE && local === 'Repository') ? { kind: 'oai' } : undefined;
}
