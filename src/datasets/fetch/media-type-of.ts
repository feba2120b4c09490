/** The media type in a header Content-Type, without parameters, in lower case; empty without one. */
export function mediaTypeOf(header: string | undefined): string {
  const [type = ''] = (header ?? '').split(';', 1);
  return type.trim().toLowerCase().slice(0, 127);
}

/** The charset in a header Content-Type, as it is written there. */
export function charsetOf(header: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(header ?? '')?.[1];
}
