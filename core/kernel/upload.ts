/** The file of an upload. */
export interface UploadedFile {
  /** Its media type in small letters, without parameters; null where a form does not say it. */
  type: string | null
  /** The encoding that its media type names, in small letters; null where it names none. */
  charset: string | null
  /** The name a form gives it, without folders. */
  name: string | null
  /**
   * Its bytes, content coding undone, read no faster than they are asked for. @throws INVALID_REQUEST for what breaks
   * off, cannot be unpacked, or is a form with more than one file; the code of the route's `tooLarge`
   */
  bytes: AsyncIterable<Buffer>
}

/** What a request sends, before any of it was read. */
export interface Upload {
  /** The media type of a body that is a file itself; null for a form, and where there is no body. */
  readonly type: string | null
  /** Begins to read, once. @returns null where there is no body, or no file in the form */
  file(): Promise<UploadedFile | null>
}

/** What came of an upload before its transaction. */
export interface Received {
  /** Digest of the bytes: what beside the target makes two requests the same. */
  digest: Buffer
  /** Removes what was kept. Called when nothing comes of it; does nothing once the change has been made. */
  discard(): Promise<void>
}
