import { on, once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { HASH_ALGORITHMS } from '../core/hash.ts';
import { RunningHashes } from '../core/running-hashes.ts';
import { receiveError, type SentError, sendError } from '../lib/workers/rpc.ts';
import type { ArtifactStore, ObjectKey, PutOptions, StoredObject } from './artifact-store.ts';
import { type Block, cutIntoBlocks } from './blocks.ts';

type Puts = Pick<ArtifactStore, 'put'>;

/** What a thread sends of an artifact: first how to store it, then its bytes in shared memory, then `end`. */
type Piece = BeginOfArtifact | { readonly bytes: Uint8Array } | { readonly end: 'whole' | 'broken' };

interface BeginOfArtifact {
  readonly key: ObjectKey;
  readonly options: PutOptions;
}

/** The reply to each piece: that to the end of an artifact says that it is stored. */
interface Reply {
  readonly stored?: StoredObject;
  readonly error?: SentError;
}

const PIECES = { size: 512 * 1024, mostUnderWay: 1 };

/**
 * Sends artifacts, one at a time and without a signal, through a port to another thread, which stores them
 * (`storeSent`). They are hashed here: the other thread may have requests to answer.
 */
export function sendArtifacts(port: MessagePort): Puts {
  const send = async (piece: Piece): Promise<StoredObject | undefined> => {
    const replied = once(port, 'message');
    port.postMessage(piece);
    const [{ stored, error }] = (await replied) as [Reply];
    if (error !== undefined) throw receiveError(error);
    return stored;
  };
  return {
    async put(key, body, options) {
      const hashes = new RunningHashes(options?.hashes ?? HASH_ALGORITHMS);
      const take = ({ bytes }: Block) => {
        hashes.update(bytes);
        return send({ bytes });
      };
      await send({ key, options: { ...options, hashes: [] } });
      try {
        await cutIntoBlocks(body, { ...PIECES, take });
      } catch (error) {
        await send({ end: 'broken' }).catch(() => {});
        throw error;
      }
      const stored = await send({ end: 'whole' });
      return { ...stored!, hashes: hashes.digest() as StoredObject['hashes'] };
    },
  };
}

/**
 * Stores the artifacts that a thread sends, until the port is closed or the thread has ended.
 * @param signal aborts storing
 */
export async function storeSent(port: MessagePort, artifacts: Puts, signal: AbortSignal | undefined): Promise<void> {
  const messages: AsyncIterator<readonly Piece[]> = on(port, 'message', { close: ['close'] });
  let last: Promise<Piece | undefined>;
  const next = () => {
    last = messages.next().then(({ done, value }) => (done ? undefined : value[0]));
    return last;
  };
  const reply = (message: Reply) => port.postMessage(message);

  async function store({ key, options }: BeginOfArtifact): Promise<Reply> {
    let isRead = true;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      while (isRead) {
        reply({});
        const piece = await next();
        if (piece !== undefined && 'bytes' in piece) yield piece.bytes;
        else if (piece !== undefined && 'end' in piece && piece.end === 'whole') return;
        else throw new Error(`the thread has not sent all of ${key}`);
      }
    }
    try {
      return { stored: await artifacts.put(key, bytes(), { ...options, signal }) };
    } catch (error) {
      isRead = false;
      // The thread may still be making a piece: only a piece is replied to.
      await last;
      return { error: sendError(error) };
    }
  }

  for (let piece = await next(); piece !== undefined; piece = await next()) {
    // An end is that of an artifact that could not be stored.
    reply('key' in piece ? await store(piece) : {});
  }
}
