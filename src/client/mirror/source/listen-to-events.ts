import { type Fetcher, FetchFailure } from '../../read/fetcher.ts';

/** Reads streams, with connections of their own, so that they take none from resources. */
export type EventReader = Pick<Fetcher, 'get'>;

/** The limit for a line, in characters. */
const MOST_CHARACTERS_OF_A_LINE = 1_000_000;

/**
 * Reads server-sent events (HTML Living Standard, 9.2) until the stream ends. It ignores their content: the Change List
 * has it, too, in order.
 * @param onNews called when the stream begins, and once for events that arrive together
 * @throws FetchFailure when the response is not such a stream, and when the stream breaks
 */
export async function listen(reader: EventReader, uri: string, signal: AbortSignal, onNews: () => void): Promise<void> {
  const fetched = await reader.get(uri, 'identity', signal, { accept: 'text/event-stream' });
  const type = fetched.headers['content-type'] ?? '';
  if (fetched.status !== 200 || !type.startsWith('text/event-stream')) {
    fetched.discard();
    throw new FetchFailure(`the stream of changes answers ${fetched.status} ${type}`);
  }
  onNews();
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of fetched.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\r|\n/);
    rest = lines.pop()!;
    if (rest.length > MOST_CHARACTERS_OF_A_LINE) throw new FetchFailure('a line of the stream of changes has no end');
    if (lines.some((line) => line.startsWith('data:'))) onNews();
  }
}
