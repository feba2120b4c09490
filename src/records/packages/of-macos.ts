// AppleSingle/AppleDouble, version 2; and a .DS_Store, whose first words are 1 and `Bud1`.
const OF_MACOS = ['\0\x05\x16\x07', '\0\0\0\x01Bud1'];

/** Whether a file is one that macOS adds to packages: `._NAME` for each file, and `.DS_Store`. */
export function isOfMacos(head: Buffer): boolean {
  const beginning = head.toString('latin1', 0, 8);
  return OF_MACOS.some((magic) => beginning.startsWith(magic));
}
