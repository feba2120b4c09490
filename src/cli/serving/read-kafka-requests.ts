import type { Logger } from 'pino';
import type { App } from '../../app.ts';
import type { IngestRequest } from '../../datasets/request.ts';

/** Reads requests of datasets from Kafka in this process, where the settings name brokers. */
export function readKafkaRequests({ configuration, datasets }: App, logger: Logger): { stop(): Promise<void> } {
  const { datasetKafka: brokers, datasetKafkaEnvironment: environment } = configuration;
  if (brokers.length === 0) return { stop: async () => {} };
  const starting = import('../../datasets/sinks/kafka-requests.ts').then(({ KafkaRequests }) => {
    const requests = new KafkaRequests({
      place: { brokers, environment },
      async add(request) {
        // It checks what it is given.
        await datasets.add([request as IngestRequest], {});
      },
      events: {
        onSkipped: (message, reason) => logger.warn({ message, reason }, `skipped the message ${message}: ${reason}`),
        onTrouble: (err) => logger.error({ err }, `requests of Kafka wait: ${err.message}`),
        onRecovered: () => logger.info('requests are read from Kafka again'),
      },
    });
    requests.start();
    return requests;
  });
  return { stop: async () => (await starting).stop() };
}
