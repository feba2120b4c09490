import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The fault of a file of certificates, in words that follow the setting's name; undefined when there is none. */
export function certificateProblem(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `names ${file}, which does not exist` : `names a file that cannot be read: ${message}`;
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs);
  if (certificates === null) {
    return `names ${file}, which does not contain a certificate in PEM form (-----BEGIN CERTIFICATE-----)`;
  }
  const place = certificates.findIndex((certificate) => !isCertificate(certificate));
  return place === -1 ? undefined : `names ${file}, of which certificate ${place + 1} is damaged`;
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
