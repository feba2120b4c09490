import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly user: string | undefined;
  /** Headers and text, as they came. */
  readonly source: string;
}

/** A mail server that keeps what it receives. */
export interface MailServer {
  readonly url: string;
  readonly received: ReceivedMail[];
  /** How many of the next mails it refuses. */
  refuses: number;
  close(): Promise<void>;
}

/** @param password that of the user `tidemark`; without one, it accepts mail of every client */
export async function startMailServer(password?: string): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: password === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: (auth, _session, done) => {
      const isKnown = auth.username === 'tidemark' && auth.password === password;
      done(isKnown ? null : new Error('the password is wrong'), { user: auth.username });
    },
    onData: (stream, { envelope, user }, done) => {
      text(stream).then((source) => {
        if (mail.refuses > 0) {
          mail.refuses -= 1;
          done(new Error('come again later'));
          return;
        }
        received.push({ to: envelope.rcptTo.map(({ address }) => address), user: user as string | undefined, source });
        done();
      }, done);
    },
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const credentials = password === undefined ? '' : `tidemark:${encodeURIComponent(password)}@`;
  const mail: MailServer = {
    url: `smtp://${credentials}127.0.0.1:${port}`,
    received,
    refuses: 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mail;
}
