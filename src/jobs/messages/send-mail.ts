import type { Configuration } from '../../config/configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { isRefusedHost } from '../../lib/http/private-host.ts';

export interface Mail {
  readonly to: readonly { readonly name: string; readonly address: string }[];
  readonly subject: string;
  readonly text: string;
  /** The same for each attempt at one message, so that programs show a repeated one once. */
  readonly messageId: string;
}

/** Milliseconds. */
const CONNECT_MS = 20_000;
const SILENT_MS = 60_000;

/**
 * Sends a mail by the server of the settings.
 * @throws TidemarkError `invalid` without a server; `unavailable` with what it answered
 */
export async function sendMail(
  { smtpUrl, mailFrom, adminEmail }: Pick<Configuration, 'smtpUrl' | 'mailFrom' | 'adminEmail'>,
  { to, ...mail }: Mail,
): Promise<void> {
  const from = mailFrom ?? adminEmail;
  if (smtpUrl === undefined) throw missing('there is no mail server: set TIDEMARK_SMTP_URL');
  if (from === undefined) throw missing('mail has no sender: set --mail-from, or --admin-email');
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(connectionOf(smtpUrl));
  try {
    await transport.sendMail({ ...mail, from, to: [...to], headers: { 'Auto-Submitted': 'auto-generated' } });
  } catch (error) {
    const { host } = new URL(smtpUrl.reveal());
    const problem = `the mail server ${host} did not take the message: ${(error as Error).message}`;
    throw new TidemarkError('unavailable', problem, {}, error);
  } finally {
    transport.close();
  }
}

/** A password is sent by TLS alone, unless the server is on this machine or in a private network. */
function connectionOf(smtpUrl: NonNullable<Configuration['smtpUrl']>) {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl.reveal());
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && username !== '' && !isRefusedHost(hostname, []),
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
    // The texts of a message are not read from files or URLs that they name.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
}

function missing(message: string): TidemarkError {
  return new TidemarkError('invalid', message);
}
