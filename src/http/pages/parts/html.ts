/** Markup that can be inserted into a page unchanged. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | undefined | false | readonly Value[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * A template whose values are escaped, unless they are markup of another template. `undefined` and `false` are omitted.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = literals[0]!;
  values.forEach((value, at) => {
    text += render(value) + literals[at + 1]!;
  });
  return new Html(text);
}

function render(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character]!);
  }
  return value.map(render).join('');
}
