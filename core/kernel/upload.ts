export interface UploadedFile {
  /** Media type in lower case, without parameters; null if the form does not name it. */
  type: string | null
  /** Charset that the media type names, in lower case; null if it names none. */
  charset: string | null
  /** File name from the form, without folders; null for a body that is the file itself. */
  name: string | null
  /**
   * The bytes of the file after decompression, read no faster than the consumer asks for them.
   * @throws INVALID_REQUEST if the body ends early, cannot be decompressed, or is a form with more than one file; the
   * code `tooLargeCode` of the route if the file is too large
   */
  bytes: AsyncIterable<Buffer>
}

/** The body of an upload before any of it has been read. */
export interface Upload {
  /** Media type of a body that is the file itself; null for a form, and if there is no body. */
  readonly type: string | null
  /** Begins to read the file; call it once. @returns null if there is no body, or no file in the form */
  openFile(): Promise<UploadedFile | null>
  /**
   * Reads a body whose declared schema is a JSON object, as a whole; call it in place of `openFile`.
   * @throws INVALID_JSON, INVALID_REQUEST and VALIDATION_FAILED like a body that is no upload, and the code
   * `tooLargeCode` of the route above 8 MiB
   */
  readObject(): Promise<UploadedObject>
}

/** A JSON object that describes a file, validated against the schema of its media type. */
export interface UploadedObject {
  value: unknown
  /** SHA-256 digest of the bytes of the body. */
  digest: Buffer
}

/** What a receiver returns for an upload, before the transaction. */
export interface ReceivedUpload {
  /** Digest of the bytes. Two requests with the same target and digest count as the same request. */
  digest: Buffer
  /** Removes what was stored, when the request has no effect. Does nothing once the change has been made. */
  discard(): Promise<void>
}
