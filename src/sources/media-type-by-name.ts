let types: Promise<typeof import('mime')> | undefined;

/** The media type that a name suggests. The table of names is loaded only by processes that need it. */
export async function mediaTypeOf(name: string): Promise<string> {
  types ??= import('mime');
  return (await types).default.getType(name) ?? 'application/octet-stream';
}
