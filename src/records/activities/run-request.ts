import { TidemarkError } from '../../core/errors.ts';
import type { RunnableActivity } from './activities.ts';
import { isStreamInput, parseStreamInput } from './stream-input.ts';

/** What a run does, as a command line, a request or a schedule says it. */
export interface RunRequest {
  readonly provider: string;
  readonly activity: RunnableActivity;
  /** For a harvest: where the records are, as `openInput` takes it. */
  readonly from?: string | undefined;
  /** For a harvest: where they came from, for the provenance. */
  readonly source?: string | undefined;
  /** The start of the run, in place of the current time: an ISO 8601 text. */
  readonly started?: string | undefined;
  /** The key of the Avro file to read. */
  readonly input?: string | undefined;
  /** The key of a plan that names the Avro file to read. */
  readonly plan?: string | undefined;
  /** A name, or the path of a mapping or a module. */
  readonly transform?: string | undefined;
  readonly writePlan?: true | undefined;
  /** Publishes also when there are far fewer records than in the run before. */
  readonly acceptDrop?: true | undefined;
}

/** What a run does, apart from its activity and provider. */
export type RunOptionsGiven = Omit<RunRequest, 'provider' | 'activity'>;

const SOURCE_OF_STREAM =
  'a harvest of a stream needs no --source: its provenance names the stream, and the last upload that it has read';

/** @throws TidemarkError `invalid` for options that do not fit the activity, or each other */
export function requireFitting({ activity, from, source, input, plan, transform }: RunRequest): void {
  const isHarvest = activity === 'harvest';
  if (isHarvest && from === undefined) {
    throw new TidemarkError(
      'invalid',
      'a harvest needs --from: a file of NDJSON, - for standard input, a folder, or stream:ORG',
      {
        field: 'from',
      },
    );
  }
  if (isStreamInput(from)) {
    parseStreamInput(from);
    if (source !== undefined) throw new TidemarkError('invalid', SOURCE_OF_STREAM, { field: 'source' });
  }
  const foreign = isHarvest ? { input, plan, transform } : { from, source };
  const wrong = Object.entries(foreign).find(([, value]) => value !== undefined)?.[0];
  if (wrong !== undefined) {
    const reads = isHarvest ? 'reads what --from names' : 'reads an Avro file: use --input or --plan';
    throw new TidemarkError('invalid', `--${wrong} is not for ${activity}, which ${reads}`, {
      option: wrong,
      field: wrong,
    });
  }
  if (input !== undefined && plan !== undefined) {
    throw new TidemarkError('invalid', 'use --input or --plan: both name the file to read', { field: 'plan' });
  }
}
