import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import { shownUrl, type Upload } from '../../records/arrivals/upload.ts';
import { filesOf, type UploadState } from '../../records/arrivals/upload-state.ts';
import type { UploadMessage } from '../../records/messages/upload-message.ts';
import type { Organization } from '../../records/organization.ts';

/** An upload that a message is about. */
export interface NotifiedUpload {
  readonly message: UploadMessage;
  readonly upload: Upload;
  readonly state: UploadState;
}

interface Context {
  readonly organization: Organization;
  /** Ends without a slash. */
  readonly baseUrl: string;
}

/** Uploads that a message describes one by one; it counts the others. */
const MOST_DESCRIBED = 20;
const MOST_FILES = 10;
const MOST_REASONS = 10;

/** The subject and the text of a mail, for people. */
export function mailText(
  uploads: readonly NotifiedUpload[],
  context: Context,
): { readonly subject: string; text: string } {
  const { organization, baseUrl } = context;
  const name = organization.title ?? organization.id;
  const described = uploads.slice(-MOST_DESCRIBED).toReversed();
  const rest = uploads.length - described.length;
  const paragraphs = [
    ...(uploads.length > 1
      ? [`This message is about ${uploads.length} uploads, because many came within an hour.`]
      : []),
    ...described.map((one) => describeUpload(one, context)),
    ...(rest > 0 ? [`and ${formatCount(rest)} more: ${baseUrl}/organizations/${organization.id}/`] : []),
    `You get this message because you are a contact of ${name} at ${baseUrl}. Who manages ${name} can change that: ${baseUrl}/organizations/${organization.id}/settings`,
  ];
  return { subject: subjectOf(uploads, name), text: `${paragraphs.join('\n\n')}\n` };
}

function subjectOf(uploads: readonly NotifiedUpload[], name: string): string {
  const [first] = uploads;
  if (uploads.length > 1) return `${uploads.length} uploads of ${name} need your attention`;
  const { message, state } = first!;
  if (message.event === 'failed') return `Upload ${message.number} of ${name} has failed`;
  return `Upload ${message.number} of ${name} has ${formatCount(state.read?.totals.errors ?? 0)} errors`;
}

function describeUpload({ message, upload, state }: NotifiedUpload, { organization, baseUrl }: Context): string {
  const { stream, number } = message;
  const hasFailed = message.event === 'failed';
  const errors = state.read?.totals.errors ?? 0;
  const files = filesOf(upload, state);
  return [
    hasFailed
      ? `The upload ${organization.id}/${stream}/${number} has failed. Nothing of it is published.`
      : `The upload ${organization.id}/${stream}/${number} was processed, but ${formatCount(errors)} of its records could not be read. The others are published.`,
    `Received: ${new Date(upload.received).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    ...(upload.by?.name === undefined ? [] : [`Sent by: ${upload.by.name}`]),
    ...(upload.url === undefined ? [] : [`Fetched from: ${shownUrl(upload.url)}`]),
    ...(files.length === 0 ? [] : [`Files: ${namesOf(files)}`]),
    ...(hasFailed ? [`Why: ${state.failure?.error}.`] : []),
    ...reasonsOf(state),
    hasFailed
      ? 'What to do: mend the file and send it again. If the reason is not in the file, have the upload processed again on its page.'
      : 'What to do: read the errors on its page, mend these records, and send them again.',
    `Its page: ${pageOf(message, baseUrl)}`,
  ].join('\n');
}

function namesOf(files: Upload['files']): string {
  const named = files.slice(0, MOST_FILES).map(({ name, length }) => `${name} (${formatBytes(length)})`);
  return [...named, ...(files.length > MOST_FILES ? [`and ${files.length - MOST_FILES} more`] : [])].join(', ');
}

function reasonsOf({ read }: UploadState): readonly string[] {
  const errors = (read?.reasons ?? []).filter(({ warning }) => !warning);
  if (errors.length === 0) return [];
  return ['Errors:', ...errors.slice(0, MOST_REASONS).map(({ reason, count }) => `  ${formatCount(count)}: ${reason}`)];
}

function pageOf({ organization, stream, number }: UploadMessage, baseUrl: string): string {
  return `${baseUrl}/organizations/${organization}/streams/${stream}/uploads/${number}/`;
}

/** What is posted to a URL, for programs. */
export function messageJson(uploads: readonly NotifiedUpload[], { organization, baseUrl }: Context): object {
  return {
    organization: organization.id,
    uploads: uploads.map(({ message, upload, state }) => ({
      event: message.event,
      at: new Date(message.at).toISOString(),
      stream: message.stream,
      number: message.number,
      received: new Date(upload.received).toISOString(),
      ...(upload.name !== undefined && { name: upload.name }),
      files: filesOf(upload, state).map(({ name, length, sha256 }) => ({ name, length, sha256 })),
      ...(message.event === 'failed' && { error: state.failure?.error }),
      ...(state.read?.reasons !== undefined && { reasons: state.read.reasons }),
      page: pageOf(message, baseUrl),
    })),
  };
}
