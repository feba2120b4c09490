import type { SchemaId } from '../../artifacts/avro/avro-schemas.ts';
import type { Activity } from '../../artifacts/keys/activity.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { DerivedSchema } from '../transforms/transform.ts';

/** The activities that make artifacts from other artifacts. */
const DERIVED_ACTIVITIES = ['mapping', 'enrichment', 'indexing'] as const;
export type DerivedActivity = (typeof DERIVED_ACTIVITIES)[number];
export const RUNNABLE_ACTIVITIES = ['harvest', ...DERIVED_ACTIVITIES] as const;
export type RunnableActivity = (typeof RUNNABLE_ACTIVITIES)[number];

interface DerivedRules {
  /**
   * The activities whose files are its input. Within a group, the newest file counts; a later group is used only when
   * an earlier one has no file.
   */
  readonly generators: readonly (readonly Activity[])[];
  readonly inputs: readonly SchemaId[];
  /** The possible schemas of its output: the first one, unless the transform chooses another. */
  readonly outputs: readonly DerivedSchema[];
  /** The name of the default transform. */
  readonly transform: string;
}

export const RULES: Readonly<Record<DerivedActivity, DerivedRules>> = {
  mapping: {
    generators: [['normalization', 'harvest', 'upload', 'dataset']],
    inputs: ['OriginalRecord.v1'],
    outputs: ['MAP.4_0.MAPRecord.v1'],
    transform: 'identity',
  },
  enrichment: {
    generators: [['mapping']],
    inputs: ['MAP.4_0.MAPRecord.v1'],
    outputs: ['MAP.4_0.MAPRecord.v1'],
    transform: 'identity',
  },
  indexing: {
    // Enrichments are optional.
    generators: [['enrichment'], ['mapping']],
    inputs: ['MAP.4_0.MAPRecord.v1'],
    outputs: ['MAP.4_0.IndexRecord.v1', 'MAP.3_1.IndexRecord.v1'],
    transform: 'map-3.1',
  },
};

/** The activities that others read. */
export const GENERATORS: readonly Activity[] = [
  ...new Set(Object.values(RULES).flatMap(({ generators }) => generators.flat())),
];

/** @throws TidemarkError `invalid` */
export function requireRunnable(text: string): RunnableActivity {
  const found = RUNNABLE_ACTIVITIES.find((activity) => activity === text);
  if (found !== undefined) return found;
  const known = RUNNABLE_ACTIVITIES.join(', ');
  throw new TidemarkError('invalid', `"${text}" is not an activity that can be run: use ${known}`, { activity: text });
}
