import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { TidemarkError } from '../core/errors.ts';

/** Options of commands that read another source. A name and a password may also be in its URL. */
export interface CredentialFlags {
  readonly tokenFile?: string;
  readonly netrc?: string | true;
}

export function addCredentialOptions(command: Command): void {
  command
    .option('--token-file <file>', 'a file with a bearer token for the source, such as for its private sets')
    .option('--netrc [file]', 'use the logins in a file (default: ~/.netrc)');
}

/** The paths of the files, absolute. */
export function credentialFiles({ tokenFile, netrc }: CredentialFlags, workingDirectory: string) {
  const ofNetrc = netrc === true ? join(homedir(), '.netrc') : netrc && resolve(workingDirectory, netrc);
  return { tokenFile: tokenFile && resolve(workingDirectory, tokenFile), netrc: ofNetrc };
}

/** The URL of another source, which may have a login. @throws TidemarkError `invalid` */
export function parseSourceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new TidemarkError(
    'invalid',
    `${JSON.stringify(text)} is not a URL of a source: use one such as https://example.org/`,
  );
}
