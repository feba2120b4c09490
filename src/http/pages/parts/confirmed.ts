import { type Html, html } from './html.ts';

interface Confirmed {
  /** What the reader presses first. */
  readonly text: string;
  /** What it is about, for screen readers: many buttons of a page have the same text. */
  readonly of: string;
  /** What happens then. */
  readonly consequence: string;
  /** What the reader presses to confirm it. */
  readonly confirm: string;
  readonly action: string;
  readonly isHarmless?: boolean;
}

/** A button that asks once more, with and without JavaScript: it opens another one, which sends the form. */
export function confirmed({ text, of, consequence, confirm, action, isHarmless = false }: Confirmed): Html {
  return html`<details class="confirm${!isHarmless && ' danger'}"><summary>${text}<span class="hidden"> ${of}</span> …</summary>
<form method="post" action="${action}"><p>${consequence}</p><button class="small${!isHarmless && ' bad'}">${confirm}<span class="hidden"> ${of}</span></button></form></details>`;
}
