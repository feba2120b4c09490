import type { UploadView } from '../../../api/upload-view.ts';
import { isTidemarkError } from '../../../core/errors.ts';
import { HttpError } from '../../request/http-error.ts';
import { errorAnswer } from '../../response/error-answer.ts';
import { podUploadUrl } from '../pod/pod-shapes.ts';

/**
 * Fields of a response that scripts for the POD aggregator read, in addition to ours: facts of its API, as of July
 * 2026.
 */
interface PodFields {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** The absolute address of the upload. */
  readonly url: string;
}

export function podView(view: UploadView, baseUrl: string): UploadView & PodFields {
  const { stream, number, received, name } = view;
  return {
    ...view,
    id: `${stream}/${number}`,
    name: name ?? received,
    created_at: received,
    updated_at: received,
    url: podUploadUrl(view, baseUrl),
  };
}

/**
 * The error of an upload in the format of that API: 422, with messages by field name. A stream that accepts no uploads
 * is an error, too. Undefined for other errors, which have the usual responses.
 */
export function podProblem(error: unknown): object | undefined {
  const isOfForm = error instanceof HttpError && error.status === 400;
  const isConflict = isTidemarkError(error, 'conflict');
  if (!isTidemarkError(error, 'invalid') && !isConflict && !isOfForm) return undefined;
  const { body } = errorAnswer(error);
  const { field = isConflict ? 'stream' : 'base' } = error.details as { readonly field?: unknown };
  return { ...body, [String(field)]: [error.message] };
}
