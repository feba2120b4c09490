import type { Producer } from '@platformatic/kafka';
import { fileResultOf } from './file-result.ts';
import { clientOptions, type KafkaPlace, kafkaAway, makeTopics, missingTopics, topicsOf } from './kafka-client.ts';
import { RefusedResult, type ResultSink, type SentResult, sendEach } from './result-sink.ts';

/** Bytes of a batch of messages: brokers refuse 1,048,588 unless they are set otherwise (d19). */
const MOST_BYTES = 1_000_000;

interface ResultMessage {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
}

/** Results as messages of Kafka (D32, D50), keyed by the request: `["dataset","https://…"]`. */
export async function openKafkaResults(place: KafkaPlace): Promise<ResultSink> {
  const { Producer, ProduceAcks, stringSerializers, findErrorBy } = await import('@platformatic/kafka');
  const producer = new Producer({ ...clientOptions(place), serializers: stringSerializers, acks: ProduceAcks.ALL });
  const { results, fileResults } = topicsOf(place);
  const topics = [results, fileResults];
  const ask = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      const refused = findErrorBy(error as Error, 'apiId', 'MESSAGE_TOO_LARGE');
      throw refused === null ? kafkaAway(error, place) : new RefusedResult(refused.message, { cause: error });
    }
  };
  const write = async (sent: readonly SentResult[]): Promise<void> => {
    for (const messages of batchesOf(sent.flatMap((one) => messagesOf(one, place)))) {
      await ask(() => (producer as StringProducer).send({ messages: [...messages] }));
    }
  };
  return {
    exists: async () => (await ask(() => missingTopics(place, topics))).length === 0,
    create: () => ask(() => makeTopics(place, topics, { keepsAll: true })),
    send: (sent) => sendEach(sent, write),
    close: () => producer.close(),
  };
}

type StringProducer = Producer<string, string, string, string>;

function messagesOf(sent: SentResult, place: KafkaPlace): readonly ResultMessage[] {
  const { row, document } = sent;
  const { results, fileResults } = topicsOf(place);
  const key = JSON.stringify([row.ingest_type, row.base_url]);
  const value = resultText(sent);
  const fileResult = fileResultOf(document, row);
  const message = { topic: results, key, value: sizeOf(value) + sizeOf(key) > MOST_BYTES ? shortText(sent) : value };
  if (fileResult === undefined) return [message];
  return [message, { topic: fileResults, key, value: JSON.stringify(fileResult) }];
}

/** The row in the names of its columns, with the request; without its manifest, it says where that is. */
function resultText({ row, document: { request, result }, manifestUrl }: SentResult): string {
  const hasManifestElsewhere = row.manifest === null && result.manifest !== undefined;
  return JSON.stringify({
    ...row,
    ...(result.message !== undefined && { error_message: result.message }),
    ...(hasManifestElsewhere && { manifest_url: manifestUrl }),
    request,
  });
}

function shortText(sent: SentResult): string {
  return resultText({ ...sent, row: { ...sent.row, manifest: null } });
}

const sizeOf = (text: string): number => Buffer.byteLength(text);

/** All messages of a partition are one batch for the broker. */
function* batchesOf(messages: readonly ResultMessage[]): Generator<readonly ResultMessage[]> {
  let batch: ResultMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = sizeOf(message.key) + sizeOf(message.value);
    if (batch.length > 0 && bytes + size > MOST_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
