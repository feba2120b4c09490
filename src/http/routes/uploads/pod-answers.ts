import type { UploadView } from '../../../api/upload-schemas.ts';
import { isTidemarkError } from '../../../core/errors.ts';
import { HttpError } from '../../request/http-error.ts';
import { errorAnswer } from '../../response/error-answer.ts';

/** What scripts for the POD aggregator read of an answer, beside what ours has: facts of its API, as of July 2026. */
interface PodFields {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Where the upload is, absolute. */
  readonly url: string;
}

export function podView(view: UploadView, baseUrl: string): UploadView & PodFields {
  const { organization, stream, number, received, name } = view;
  return {
    ...view,
    id: `${stream}/${number}`,
    name: name ?? received,
    created_at: received,
    updated_at: received,
    url: `${baseUrl}/api/organizations/${organization}/uploads/${stream}/${number}`,
  };
}

/**
 * What is wrong with an upload, as that API answers it: 422, with messages by the names of fields. A stream that takes
 * no uploads is wrong, too. Undefined for other errors, which have their own answers.
 */
export function podProblem(error: unknown): object | undefined {
  const isOfForm = error instanceof HttpError && error.status === 400;
  const isConflict = isTidemarkError(error, 'conflict');
  if (!isTidemarkError(error, 'invalid') && !isConflict && !isOfForm) return undefined;
  const { body } = errorAnswer(error);
  const { field = isConflict ? 'stream' : 'base' } = error.details as { readonly field?: unknown };
  return { ...body, [String(field)]: [error.message] };
}
