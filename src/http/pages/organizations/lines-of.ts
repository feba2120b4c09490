/** The lines of a field of a form, without blanks around them and without empty ones. */
export function linesOf(form: URLSearchParams, name: string): readonly string[] {
  return (form.get(name) ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
