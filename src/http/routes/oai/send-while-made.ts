import type { ServerResponse } from 'node:http';

/** Milliseconds after which a client or a proxy gets something: many give up after 30 seconds without a byte. */
const QUIET_MS = 10_000;

interface SlowAnswer {
  /** What the text begins with in any case: it is sent first when the text is late. White space may follow it. */
  readonly beginning: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds; for tests */
  readonly quietMs?: number;
}

/**
 * Waits for a text. When it is late, sends its beginning, and line feeds until the text is made, and then its rest:
 * returns undefined then. So a client that waits is not cut off, and one that has left can be noticed. When the text
 * fails after that, the caller must cut the connection.
 */
export async function sendWhileMade(
  response: ServerResponse,
  made: Promise<string>,
  { beginning, headers, quietMs = QUIET_MS }: SlowAnswer,
): Promise<string | undefined> {
  const timer = setInterval(() => {
    if (response.destroyed) return;
    if (response.headersSent) response.write('\n');
    else response.writeHead(200, headers).write(beginning);
  }, quietMs);
  try {
    const text = await made;
    if (!response.headersSent) return text;
    response.end(text.slice(beginning.length));
    return undefined;
  } finally {
    clearInterval(timer);
  }
}
