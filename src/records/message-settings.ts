import { TidemarkError } from '../core/errors.ts';

/** Who gets a message when an upload of an organization has failed. */
export interface MessageSettings {
  /** Where messages are posted. */
  readonly url?: string | undefined;
  /** The key of the signature of what is posted. It is shown to no reader. */
  readonly secret?: string | undefined;
  /** Whether contacts with an address get mail. */
  readonly mail?: true | undefined;
  /** Whether there is also a message when an upload was processed, and has errors. */
  readonly errors?: true | undefined;
  /** Milliseconds since 1970: there is no message about what was before. */
  readonly since: number;
}

/** Changes of the settings. An absent field stays as it is; null removes it. */
export interface MessageSettingChanges {
  readonly url?: string | null | undefined;
  readonly secret?: string | null | undefined;
  readonly mail?: boolean | undefined;
  readonly errors?: boolean | undefined;
}

/** Characters. */
export const MOST_MESSAGE_URL = 2_000;
export const MOST_SECRET = 200;
const LEAST_SECRET = 8;

/** Applies changes to settings. Undefined when there are no messages. @throws TidemarkError `invalid` */
export function changedMessages(
  before: MessageSettings | undefined,
  { url, secret, mail, errors }: MessageSettingChanges,
): MessageSettings | undefined {
  if (url) requireMessageUrl(url);
  if (secret && (secret.length < LEAST_SECRET || secret.length > MOST_SECRET)) throw unfitSecret();
  const changed = {
    url: url === undefined ? before?.url : url || undefined,
    secret: secret === undefined ? before?.secret : secret || undefined,
    mail: mail ?? before?.mail,
    errors: errors ?? before?.errors,
  };
  if (changed.url === undefined && !changed.mail) return undefined;
  return {
    ...(changed.url !== undefined && { url: changed.url }),
    ...(changed.url !== undefined && changed.secret !== undefined && { secret: changed.secret }),
    ...(changed.mail && { mail: true }),
    ...(changed.errors && { errors: true }),
    since: before?.since ?? Date.now(),
  };
}

/** A password is refused: it would be stored, and shown to those who manage the organization. */
function requireMessageUrl(text: string): void {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isPlain && text.length <= MOST_MESSAGE_URL) return;
  const message =
    'messages cannot be posted there: write a URL of http or https, without a password, as https://example.org/messages';
  throw new TidemarkError('invalid', message, { field: 'url' });
}

function unfitSecret(): TidemarkError {
  const message = `a secret has ${LEAST_SECRET} to ${MOST_SECRET} characters`;
  return new TidemarkError('invalid', message, { field: 'secret' });
}
