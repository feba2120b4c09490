import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { TidemarkError } from '../../../core/errors.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import type { MessageSettingChanges } from '../../../records/message-settings.ts';
import { oneOf } from '../../options.ts';

export interface MessageOptions {
  readonly notifyUrl?: string;
  readonly notifySecretFile?: string;
  readonly notifyMail?: 'on' | 'off';
  readonly notifyErrors?: 'on' | 'off';
}

/** Adds the options for messages about uploads that have failed. */
export function addMessageOptions(command: Command): void {
  command
    .option('--notify-mail <on|off>', 'whether its contacts get mail when an upload has failed', oneOf('on', 'off'))
    .option('--notify-url <url>', "where a message is posted when an upload has failed; '' for none")
    .option('--notify-secret-file <file>', "a file with the secret that signs what is posted; '' removes it")
    .option('--notify-errors <on|off>', 'whether also when it was processed, and has errors', oneOf('on', 'off'));
}

/** The given values. The registry checks them. @throws TidemarkError `invalid` for a file that cannot be read */
export async function givenMessages(
  { notifyUrl, notifySecretFile, notifyMail, notifyErrors }: MessageOptions,
  folder: string,
): Promise<{ readonly messages?: MessageSettingChanges }> {
  const given = {
    ...(notifyUrl !== undefined && { url: notifyUrl || null }),
    ...(notifySecretFile !== undefined && { secret: await secretOf(notifySecretFile, folder) }),
    ...(notifyMail !== undefined && { mail: notifyMail === 'on' }),
    ...(notifyErrors !== undefined && { errors: notifyErrors === 'on' }),
  };
  return Object.keys(given).length === 0 ? {} : { messages: given };
}

async function secretOf(path: string, folder: string): Promise<string | null> {
  if (path === '') return null;
  try {
    return (await readFile(resolve(folder, path), 'utf8')).trim();
  } catch (error) {
    throw new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { file: path });
  }
}
