/** What a caller of a store does while that is slow. SQLite applies a commit at once. */
export interface SlowStoreOptions {
  /**
   * For work that no person waits for: readers wait for a slow Elasticsearch however long, and call this once each.
   * Without it, they fail after ten seconds.
   */
  readonly onSlow?: ((message: string) => void) | undefined;
}
