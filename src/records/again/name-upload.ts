/** What the paths of files begin with that are read again: the upload that they came with. */
export const nameUpload = (number: number): string => `upload ${number}`;

/** The number of that upload; undefined when the path is not one of a file that is read again. */
export function uploadReadAgain([first = '']: readonly string[]): number | undefined {
  const number = /^upload (\d+)$/.exec(first)?.[1];
  return number === undefined ? undefined : Number(number);
}
