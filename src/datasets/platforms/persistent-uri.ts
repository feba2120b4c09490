/**
 * The URI of a persistent identifier, such as `https://doi.org/10.7910/DVN/CLSFKX` of `doi:10.7910/DVN/CLSFKX`.
 * Undefined for one of another scheme.
 */
export function persistentUri(id: string | null | undefined): string | undefined {
  const text = id?.trim().toWellFormed() ?? '';
  const doi = /^(?:(?:https?:\/\/(?:dx\.)?doi\.org\/)|doi:)?(10\.\d[^\s/]*\/\S+)$/i.exec(text)?.[1];
  if (doi !== undefined) return `https://doi.org/${encodeURI(doi)}`;
  const handle = /^(?:https?:\/\/hdl\.handle\.net\/|hdl:)(\S+)$/i.exec(text)?.[1];
  return handle === undefined ? undefined : `https://hdl.handle.net/${encodeURI(handle)}`;
}
