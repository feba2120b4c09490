import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Certificate {
  /** Files in PEM. The certificate signed itself, so it is its own authority. */
  readonly keyFile: string;
  readonly caFile: string;
}

/**
 * Makes a key and a certificate for `localhost`, 127.0.0.1 and other addresses. It needs openssl.
 * @param folder where both are written
 */
export async function makeCertificate(folder: string, addresses: readonly string[] = []): Promise<Certificate> {
  const [keyFile, caFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['DNS:localhost', ...['127.0.0.1', ...addresses].map((address) => `IP:${address}`)];
  const extension = ['-addext', `subjectAltName=${names.join(',')}`];
  await promisify(execFile)('openssl', [...request, ...extension, '-keyout', keyFile, '-out', caFile]);
  return { keyFile, caFile };
}
