import { type Html, html } from './html.ts';
import { sentence } from './words.ts';

export interface SearchForm {
  /** What is searched, for people. */
  readonly label: string;
  readonly hint?: Html | undefined;
  /** Where the answer is, relative to the page. */
  readonly action: string;
  readonly value?: string | undefined;
  /** Whether something is wrong with the value. */
  readonly isWrong?: boolean;
}

export function searchForm({ label, hint, action, value = '', isWrong = false }: SearchForm): Html {
  return html`<form class="search" role="search" action="${action}" method="get">
<label for="q">${label}</label>
<input id="q" name="q" type="search" value="${value}" maxlength="120" autocomplete="off" spellcheck="false"${hint && html` aria-describedby="q-hint"`}${isWrong && html` aria-invalid="true"`}>
<button>Search</button>
${hint && html`<span class="hint" id="q-hint">${hint}</span>`}
</form>`;
}

/** Says what is wrong with a search or a filter of names: its form does not call the field `q`. */
export function wrongQueryNotice({ message }: Pick<Error, 'message'>): Html {
  return html`<div class="notice bad" role="alert"><p>${sentence(message.replace(/^q /, 'the part of the name '))}</p></div>`;
}
