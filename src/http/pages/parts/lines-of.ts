/** The lines of a form field, trimmed, without empty ones. */
export function linesOf(form: Pick<URLSearchParams, 'get'>, name: string): readonly string[] {
  return (form.get(name) ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
