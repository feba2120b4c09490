import { planDescriptionPart, planSourceDescription } from '../source-descriptions.ts';
import type { SourceRow } from './row.ts';

/** Documents that lead to all others. */
export const SOURCE_ROWS = {
  sourceDescription: {
    of: 'source',
    path: '/.well-known/resourcesync',
    operation: {
      id: 'sourceDescription',
      summary: 'The Source Description, or its index when there are more than 50,000 sets',
    },
    page: {
      title: 'Source Description',
      purpose: 'Every set of this source. All other documents are found from here.',
    },
    entries: 'documents',
    plan: planSourceDescription,
  },
  sourceDescriptionPart: {
    of: 'source',
    path: '/description-:part.xml',
    operation: { id: 'sourceDescriptionPart', summary: 'A part of the Source Description' },
    page: {
      title: 'Source Description',
      purpose: 'Every set of this source. All other documents are found from here.',
    },
    entries: 'documents',
    plan: planDescriptionPart,
  },
} as const satisfies Readonly<Record<string, SourceRow>>;
