import { type Html, html } from './html.ts';

interface Confirmed {
  /** The text of the first button. */
  readonly text: string;
  /** The subject, for screen readers: many buttons of a page have the same text. */
  readonly of: string;
  /** The effect of the action. */
  readonly consequence: string;
  /** The text of the button that confirms the action. */
  readonly confirm: string;
  readonly action: string;
  readonly isHarmless?: boolean;
}

/** A button that asks for confirmation, with and without JavaScript: it opens a second button, which sends the form. */
export function confirmed({ text, of, consequence, confirm, action, isHarmless = false }: Confirmed): Html {
  return html`<details class="confirm${!isHarmless && ' danger'}"><summary>${text}<span class="hidden"> ${of}</span> …</summary>
<form method="post" action="${action}"><p>${consequence}</p><button class="small${!isHarmless && ' bad'}">${confirm}<span class="hidden"> ${of}</span></button></form></details>`;
}
