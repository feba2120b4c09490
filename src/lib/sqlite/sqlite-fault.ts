/** The SQLite result codes that an operator can do something about (sqlite.org/rescode.html). */
const FAULTS: Readonly<Record<number, string>> = {
  5: 'is locked by another process: try again, or find out which one',
  6: 'is locked: try again',
  8: 'cannot be written: check the permissions of the file and its folder, and whether the file system is read-only',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged',
  13: 'cannot grow: the disk is full',
  14: 'cannot be opened: check that its folder exists and may be written',
  26: 'is not an SQLite database',
};

/** Advice for a file that cannot be used, without a full stop. */
interface FaultHints {
  readonly damaged: string;
  readonly noDatabase: string;
}

/** The problem of a database file, as text for people; undefined for other errors. */
export function sqliteFault(error: unknown, hints?: FaultHints): string | undefined {
  const code = primaryCode(error);
  if (code === undefined || FAULTS[code] === undefined) return undefined;
  const hint = code === 11 ? hints?.damaged : code === 26 ? hints?.noDatabase : undefined;
  return hint === undefined ? FAULTS[code] : `${FAULTS[code]}: ${hint}`;
}

/** Whether SQLite failed because another connection has a lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5;
}

export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === 13;
}

export function isDamaged(error: unknown): boolean {
  return primaryCode(error) === 11;
}

export function isNoDatabase(error: unknown): boolean {
  return primaryCode(error) === 26;
}

/** The primary result code: the low byte. The other bytes give details. */
function primaryCode(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { errcode?: number };
  return errcode === undefined ? undefined : errcode & 0xff;
}
