import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { makeCertificate } from '../../scripts/services/make-certificate.ts';

export interface TlsProxy {
  /** With https. */
  readonly url: string;
  /** The certificate, which signed itself. */
  readonly caFile: string;
  close(): Promise<void>;
}

/** Speaks TLS in front of a server that does not. It needs openssl. @param folder for its key and certificate */
export async function startTlsProxy(target: string, folder: string): Promise<TlsProxy> {
  const { keyFile, caFile } = await makeCertificate(folder);
  const { hostname, port } = new URL(target);
  const options = { key: await readFile(keyFile), cert: await readFile(caFile) };
  const server: Server = createServer(options, (client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caFile,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
