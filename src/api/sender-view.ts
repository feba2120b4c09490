import * as z from 'zod';
import type { Sender } from '../records/arrivals/upload.ts';

export const senderSchema = z
  .strictObject({
    token: z.string().optional().describe('The id of the token.'),
    name: z.string().optional().describe('The name of the token; `administrator`, or `harvest`.'),
    address: z
      .string()
      .optional()
      .describe('The network address of the client. For those who manage the organization.'),
  })
  .meta({ id: 'UploadSender', description: 'Who sent it. For those who may upload for the organization.' });

/** Which fields of a sender a reader sees. */
export type SeenOfSenders = 'all' | 'names' | 'none';

/** The sender of an upload, as far as a reader may see it. */
export function senderView(by: Sender | undefined, sees: SeenOfSenders): Sender | undefined {
  if (by === undefined || sees === 'none') return undefined;
  const { address, ...named } = by;
  return sees === 'all' ? by : named;
}

/** A sender for people: `nightly job (3f9c01a2b4d6), 192.0.2.1`. */
export function describeSender({ token, name, address }: Sender): string {
  const named = name !== undefined && (token === undefined ? name : `${name} (${token})`);
  return [named, address].filter(Boolean).join(', ');
}
