import { unlessNotFound } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { readUploadState } from '../../records/arrivals/upload-state.ts';
import type { MessageSettings } from '../../records/message-settings.ts';
import { MessageBudget } from '../../records/messages/message-budget.ts';
import {
  type AddressedMessage,
  channelsOf,
  messageOf,
  type UploadMessage,
} from '../../records/messages/upload-message.ts';
import type { Organization } from '../../records/organization.ts';
import type { NewJob } from '../../stores/job.ts';
import { defineJob, jobOf } from '../job-definition.ts';
import type { JobParts } from '../job-parts.ts';
import { mailText, messageJson, type NotifiedUpload } from '../messages/message-text.ts';
import { sendMail } from '../messages/send-mail.ts';
import { sendToUrl } from '../messages/send-to-url.ts';

/** Some four hours. A pause of a job has at most ten minutes. */
const RETRY = { attempts: 30, firstMs: 10_000, longestMs: 600_000 };

/** Sends a message about an upload that has failed, by mail or to a URL, until it is accepted. */
export const sendUploadMessage = defineJob<AddressedMessage>({
  kind: 'send-upload-message',
  retry: RETRY,
  isNumerous: true,
  oneAtATimePer: ({ organization, channel }) => `${organization}/${channel}`,

  async addMissing({ records: { dueMessages }, jobs: { queue } }) {
    await dueMessages.visit((messages) => queue.addAll(messages.map(jobOfUploadMessage)));
  },

  async run({ channel, ...message }, parts, { signal }) {
    const organization = await parts.records.organizations.get(message.organization);
    const { messages } = organization;
    if (messages === undefined || !channelsOf(messages).includes(channel)) return { skipped: 'no message is wanted' };
    const budget = new MessageBudget(parts.catalog, organization.id, channel);
    const contents = await budget.take(message);
    const uploads = (await Promise.all(contents.map((one) => currentOf(one, parts)))).flatMap((one) => one ?? []);
    if (uploads.length === 0) return { skipped: 'another message had it, or it was processed since' };
    await send(uploads, { channel, organization, messages }, parts, signal);
    failpoint('message.sent');
    await budget.sent(contents);
    return { uploads: uploads.length };
  },
});

function jobOfUploadMessage(payload: AddressedMessage): NewJob {
  const { organization, stream, number, event, at, channel } = payload;
  return jobOf(sendUploadMessage, { id: [organization, stream, number, event, at, channel].join('~'), payload });
}

/** Undefined when the upload is in another state now, as after a retry. */
async function currentOf(message: UploadMessage, { records, catalog }: JobParts): Promise<NotifiedUpload | undefined> {
  const { organization, stream, number } = message;
  const [upload, stored] = await Promise.all([
    unlessNotFound(records.uploads.get(organization, stream, number)),
    readUploadState(catalog, message),
  ]);
  if (upload === undefined || stored === undefined) return undefined;
  const current = messageOf(message, stored.body);
  return current?.event === message.event && current.at === message.at
    ? { message, upload, state: stored.body }
    : undefined;
}

interface Addressee extends Pick<AddressedMessage, 'channel'> {
  readonly organization: Organization;
  readonly messages: MessageSettings;
}

async function send(
  uploads: readonly NotifiedUpload[],
  { channel, organization, messages }: Addressee,
  { configuration, sets }: JobParts,
  signal: AbortSignal,
): Promise<void> {
  const { baseUrl } = await sets.source();
  const context = { organization, baseUrl };
  if (channel === 'url') {
    const networks = configuration.subscriberNetworks;
    return sendToUrl({ ...messages, url: messages.url!, networks }, messageJson(uploads, context), signal);
  }
  const to = organization.contacts.flatMap(({ name, email }) =>
    email === undefined ? [] : [{ name, address: email }],
  );
  if (to.length === 0) return;
  const { stream, number, event, at } = uploads.at(-1)!.message;
  const id = [organization.id, stream, number, event, at].join('.');
  await sendMail(configuration, {
    to,
    ...mailText(uploads, context),
    messageId: `<${id}@${new URL(baseUrl).hostname}>`,
  });
}
