import { TidemarkError } from '../../../core/errors.ts';
import { type Html, html } from './html.ts';

/** The field that repeats the id of what is removed. */
export const CONFIRMATION = 'confirm';

/** @throws TidemarkError `invalid` when the form does not have the id */
export function requireTyped(form: URLSearchParams, id: string): void {
  if (form.get(CONFIRMATION)?.trim() === id) return;
  throw new TidemarkError('invalid', `type ${id} to remove it: another text was given`, { field: CONFIRMATION });
}

interface RemoveSection {
  /** As in `Remove the stream`. */
  readonly what: string;
  /** What must be typed. */
  readonly id: string;
  /** What is lost: sentences. */
  readonly consequence: string;
  /** Where the form is sent. */
  readonly action: string;
  /** Whether another text was typed before. */
  readonly isWrong: boolean;
  /** What else is asked. */
  readonly fields?: Html | undefined;
}

/** A form that removes something for good: the id must be typed, because that cannot be undone. */
export function removeSection({ what, id, consequence, action, isWrong, fields }: RemoveSection): Html {
  return html`<h2>Remove the ${what}</h2>
<details class="danger"${isWrong && html` open`}><summary>Remove the ${what} ${id} …</summary>
<p>${consequence}</p>
<form class="fields" method="post" action="${action}">
${fields}
<p><label for="${CONFIRMATION}">Type the id of the ${what}, ${id}</label>
<input id="${CONFIRMATION}" name="${CONFIRMATION}" required autocomplete="off" autocapitalize="none" spellcheck="false"${isWrong && html` aria-invalid="true"`}></p>
<p><button class="bad">Remove it for good</button></p>
</form></details>`;
}
