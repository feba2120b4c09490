import { capabilityOf, type Document, isNotification, linksOf } from '../../read/document.ts';
import { atEntry, type Problems, type Rules } from './rule.ts';

const NONE: Problems = [];

/** Section O of the rules: what can be checked of notifications without a subscription. */
export const NOTIFICATION: Rules = {
  113: {
    document: (document) => misplaced(document, 'change'),
  },
  114: {
    document: (document) => misplaced(document, 'framework'),
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

/** Both kinds of channels belong to a set. */
const misplaced = (document: Document, kind: 'change' | 'framework'): Problems =>
  capabilityOf(document) === 'description'
    ? document.entries
        .filter(({ md: { capability = '' } }) => isNotification(capability) && capability.startsWith(kind))
        .map((entry) => atEntry(document, entry, `a ${kind} notification channel belongs into the Capability List`))
    : NONE;
