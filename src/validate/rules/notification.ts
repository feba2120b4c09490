import { capabilityOf, linksOf } from '../model/document.ts';
import { atEntry, type Problems, type Rules } from './rule.ts';

const NONE: Problems = [];

const isNotification = (capability = '') => capability.includes('notification');

/** Section O of the rules: what can be seen of notifications without a subscription. */
export const NOTIFICATION: Rules = {
  113: {
    document: (document) =>
      misplaced(
        document,
        'framework',
        'capabilitylist',
        'a channel of the framework belongs into the Source Description',
      ),
  },
  114: {
    document: (document) =>
      misplaced(document, 'change', 'description', 'a channel of changes belongs into the Capability List'),
  },
  115: {
    document: (document) =>
      document.entries
        .filter(({ md }) => isNotification(md.capability))
        .filter((entry) => entry.loc === '' || linksOf(entry, 'hub').length === 0)
        .map((entry) => atEntry(document, entry, 'the channel has no loc, or no link with rel hub')),
  },
  116: {
    source: ({ channels }) =>
      channels.flatMap(({ document, entry, topic, failure, links }) => {
        if (failure !== undefined) return [atEntry(document, entry, `the topic ${topic} cannot be read: ${failure}`)];
        const isRight = (links.hub ?? []).length > 0 && links.self?.join() === topic;
        return isRight
          ? []
          : [atEntry(document, entry, `the topic ${topic} answers without its hub and itself in Link`)];
      }),
  },
};

const misplaced = (
  document: Parameters<NonNullable<Rules[number]['document']>>[0],
  kind: string,
  where: string,
  message: string,
): Problems =>
  capabilityOf(document) === where
    ? document.entries
        .filter(({ md: { capability = '' } }) => isNotification(capability) && capability.startsWith(kind))
        .map((entry) => atEntry(document, entry, message))
    : NONE;
