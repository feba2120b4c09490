/** Why a part of a source could not be fetched, unpacked or parsed. The message is for people. */
export class ReadFailure extends Error {}
