import { type Html, html } from './html.ts';

/** What is wrong with the values of a form; nothing for undefined. */
export function problemNotice(problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : html`<div class="notice bad" role="alert"><p>${problem}</p></div>`;
}
