import { type ErrorCode, isTidemarkError, type TidemarkError } from '../../../core/errors.ts';
import { sentence } from '../parts/words.ts';
import type { FormValues } from './set-form.ts';
import type { RejectedForm } from './set-pages.ts';
import { labelOf, withLabels } from './setting-labels.ts';

/** Errors that a user can correct in the form. */
const CORRECTABLE: readonly ErrorCode[] = ['invalid', 'conflict', 'forbidden', 'not-found', 'gone'];

interface Form {
  readonly form: FormValues;
  /** Shows the form again. */
  show(attempt: RejectedForm): Promise<void>;
}

/** Shows a form again, with the given values, when one of them is wrong. */
export async function attempting({ form, show }: Form, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!CORRECTABLE.some((code) => isTidemarkError(error, code))) throw error;
    const { message, details } = error as TidemarkError;
    const path = String(details.field ?? '');
    // For a list, the field also contains the position.
    const [field = ''] = path.split('.');
    const named = field !== '' && message.startsWith(path) ? labelOf(field) + message.slice(path.length) : message;
    await show({ form, problem: sentence(withLabels(named)), field });
  }
}
