import { type Html, html } from './html.ts';
import { problemNotice } from './problem-notice.ts';
import { sentence } from './words.ts';

interface SearchForm {
  /** A label that names what is searched. */
  readonly label: string;
  readonly hint?: Html | undefined;
  /** The address of the results, relative to the page. */
  readonly action: string;
  readonly value?: string | undefined;
  /** Whether the value is invalid. */
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

/** The error of a search or a filter for names. Its form does not call the field `q`. */
export function wrongQueryNotice({ message }: Pick<Error, 'message'>): Html | undefined {
  return problemNotice(sentence(message.replace(/^q /, 'the part of the name ')));
}
