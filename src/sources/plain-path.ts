/** Whether a path consists of names only. */
export function isPlainPath(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}
