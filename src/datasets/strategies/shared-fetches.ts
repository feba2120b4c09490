/** Each file that is fetched has two threads that hash it, and some megabytes: twelve jobs would have 48 of them. */
const MOST = 12;

let free = MOST;

/**
 * Files that are fetched at the same time in this process, apart from one of each dataset, which needs no permission: a
 * platform that is slow does not stop datasets of others.
 */
export const sharedFetches = {
  /** Whether one more may be fetched; then call `give` when it has ended. */
  take(): boolean {
    if (free === 0) return false;
    free -= 1;
    return true;
  },
  give(): void {
    free += 1;
  },
};
