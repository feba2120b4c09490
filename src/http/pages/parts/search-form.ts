import { type Html, html } from './html.ts';

export interface SearchForm {
  /** What is searched, for people. */
  readonly label: string;
  /** Where the answer is, relative to the page. */
  readonly action: string;
  readonly value?: string | undefined;
}

export function searchForm({ label, action, value = '' }: SearchForm): Html {
  return html`<form class="search" role="search" action="${action}" method="get">
<label for="q">${label}</label>
<input id="q" name="q" type="search" value="${value}" maxlength="120" autocomplete="off" spellcheck="false">
<button>Search</button>
</form>`;
}
