import { type Html, html } from './html.ts';

export interface SearchForm {
  /** What is searched, for people. */
  readonly label: string;
  readonly hint?: Html | undefined;
  /** Where the answer is, relative to the page. */
  readonly action: string;
  readonly value?: string | undefined;
}

export function searchForm({ label, hint, action, value = '' }: SearchForm): Html {
  return html`<form class="search" role="search" action="${action}" method="get">
<label for="q">${label}</label>
<input id="q" name="q" type="search" value="${value}" maxlength="120" autocomplete="off" spellcheck="false"${hint && html` aria-describedby="q-hint"`}>
<button>Search</button>
${hint && html`<span class="hint" id="q-hint">${hint}</span>`}
</form>`;
}
