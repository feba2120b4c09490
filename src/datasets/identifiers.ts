/** The DOI in a text such as `doi:10.7910/DVN/CLSFKX`, or a URL of it, as it is written; undefined without one. */
export function doiIn(text: string): string | undefined {
  return /^(?:doi:\s*|(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\/)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i.exec(text.trim())?.[1];
}

/**
 * The URI of a persistent identifier, such as `https://doi.org/10.7910/DVN/CLSFKX` of `doi:10.7910/DVN/CLSFKX`.
 * Undefined for one of another scheme.
 */
export function persistentUri(id: string | null | undefined): string | undefined {
  const text = id?.trim().toWellFormed() ?? '';
  const doi = doiIn(text);
  if (doi !== undefined) return `https://doi.org/${encodeURI(doi)}`;
  const handle = /^(?:https?:\/\/hdl\.handle\.net\/|hdl:)(\S+)$/i.exec(text)?.[1];
  return handle === undefined ? undefined : `https://hdl.handle.net/${encodeURI(handle)}`;
}
