/** The result codes of SQLite that an operator can do something about (sqlite.org/rescode.html). */
const FAULTS: Readonly<Record<number, string>> = {
  8: 'cannot be written: check the permissions of the folder, and whether the file system is read-only',
  10: 'cannot be read or written: the disk reports an error',
  13: 'cannot grow: the disk is full',
  14: 'cannot be opened: check the permissions of the folder',
};

/** What is wrong with the file of a database, in words for a person; undefined for other errors. */
export function sqliteFault(error: unknown): string | undefined {
  const { errcode } = (error ?? {}) as { errcode?: number };
  // The low byte is the primary result code.
  return errcode === undefined ? undefined : FAULTS[errcode & 0xff];
}
