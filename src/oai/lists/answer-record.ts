import { writeFormats } from '../answers.ts';
import type { OaiRequest } from '../parse-request.ts';
import { type ListedRecord, requireFormat } from '../profiles/profile.ts';
import { readRecord } from '../profiles/read-records.ts';
import { protocolError } from '../protocol.ts';
import type { ListedSet } from './answer-list.ts';
import { RecordWriter } from './record-writer.ts';

/** Answers GetRecord. @throws ProtocolErrors; TidemarkError `unavailable` when the record cannot be read */
export async function answerRecord(
  listed: ListedSet,
  { identifier, metadataPrefix }: OaiRequest & { readonly verb: 'GetRecord' },
): Promise<string> {
  const found = await find(listed, identifier);
  await requireFormat(listed.profile, metadataPrefix);
  const [written] = await new RecordWriter(listed, { metadataPrefix, id: identifier }).write([found]);
  if (written !== undefined) return `<GetRecord>\n${written}</GetRecord>`;
  throw protocolError('cannotDisseminateFormat', `this record has no metadata in ${metadataPrefix}`);
}

/** Answers ListMetadataFormats. @param identifier of a record, whose formats are listed @throws as `answerRecord` */
export async function answerFormats(
  { profile, ...listed }: ListedSet,
  identifier: string | undefined,
): Promise<string> {
  let formats = await profile.formats();
  if (identifier !== undefined) {
    const { state } = await find({ profile, ...listed }, identifier);
    const record = state && (await profile.read(await readRecord(state, listed.records)));
    formats = formats.filter(({ prefix }) => record?.metadata(prefix) !== undefined);
  }
  if (formats.length === 0) throw protocolError('noMetadataFormats', 'the record is deleted: it has no metadata');
  return writeFormats(formats);
}

/** @throws ProtocolErrors `idDoesNotExist` */
async function find({ id, profile, index }: ListedSet, identifier: string): Promise<ListedRecord> {
  const key = profile.keyOf(identifier);
  const [found] = key === undefined ? [] : await index.lookup(id, [key]);
  if (found !== undefined) return found;
  throw unknownIdentifier();
}

export function unknownIdentifier(): Error {
  return protocolError('idDoesNotExist', 'there is no record with this identifier');
}
