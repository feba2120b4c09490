export const HIDDEN = '[hidden]';

/** Names of fields that contain credentials, in lower case. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  'apikey',
  'authorization',
  'cookie',
  'password',
  'proxy-authorization',
  'set-cookie',
  'token',
  'x-amz-security-token',
]);

/** Credentials anywhere in a text: tokens, credentials of a header or of a URL, signatures of presigned URLs. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\btdm_[0-9a-f]{12}_[\w-]+/g, HIDDEN],
  [/\b(bearer|basic|apikey)(\s+)[\w.~+/=-]{6,}/gi, `$1$2${HIDDEN}`],
  [/(\/\/)[^/\s:@"']+:[^/\s@"']+@/g, `$1${HIDDEN}@`],
  [
    /([?&](?:x-amz-(?:signature|credential|security-token)|awsaccesskeyid|signature|token|access_token|api_?key|password)=)[^&\s"']+/gi,
    `$1${HIDDEN}`,
  ],
];

/** The text without credentials. */
export function scrubbed(text: string): string {
  return SECRETS.reduce((rest, [secret, instead]) => rest.replace(secret, instead), text);
}
