import { crc32 } from 'node:zlib'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { InitError } from '../../records/index.ts'
import { createBrokenWorkbookError, createLargeWorkbookError } from './errors.ts'

/**
 * The maximum number of files in an archive, and of bytes that the files read from it unpack to in total: a small
 * archive can hold a lot.
 */
const archiveLimits = { maxFiles: 10_000, maxBytes: 256 * 1024 * 1024 }

/** The ZIP archive of a workbook. Source: PKWARE, .ZIP File Format Specification; ECMA-376, part 2. */
export class Archive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  #bytes = 0

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** Opens an archive and reads the list of its files. @throws InitError IMPORT_WORKBOOK_BROKEN, IMPORT_TOO_LARGE */
  static async open(bytes: Buffer): Promise<Archive> {
    try {
      const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false })
      if (zip.entryCount > archiveLimits.maxFiles)
        throw createLargeWorkbookError(
          `The workbook has more than ${archiveLimits.maxFiles.toLocaleString('en')} parts.`,
        )
      const entries = new Map<string, Entry>()
      for await (const entry of zip.eachEntry()) {
        // The names of parts are not case-sensitive.
        const name = entry.fileName.toLowerCase()
        if (entries.has(name))
          throw createBrokenWorkbookError(`The workbook has two parts that are called ${entry.fileName.slice(0, 100)}.`)
        entries.set(name, entry)
      }
      return new Archive(zip, entries)
    } catch (cause) {
      throw explainArchiveError(cause)
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /**
   * Yields the bytes of a file and checks its length and its checksum.
   * @throws InitError with the codes that `open` throws
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name.toLowerCase())
    if (!entry) throw createBrokenWorkbookError(`The workbook lacks its part ${name.slice(0, 100)}.`)
    if (entry.isEncrypted())
      throw createBrokenWorkbookError(
        'The workbook is protected by a password. Take the protection off, and send it again.',
      )
    let checksum = 0
    try {
      for await (const chunk of (await this.#zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
        this.#bytes += chunk.length
        if (this.#bytes > archiveLimits.maxBytes)
          throw createLargeWorkbookError(`The workbook has more than ${archiveLimits.maxBytes} bytes, unpacked.`)
        checksum = crc32(chunk, checksum)
        yield chunk
      }
    } catch (cause) {
      throw explainArchiveError(cause)
    }
    if (checksum !== entry.crc32)
      throw createBrokenWorkbookError(
        `The part ${name.slice(0, 100)} of the workbook was damaged: its checksum is another one.`,
      )
  }
}

function explainArchiveError(cause: unknown): unknown {
  if (cause instanceof InitError || !(cause instanceof Error)) return cause
  return createBrokenWorkbookError('The workbook cannot be unpacked: it was cut off or damaged on its way.', cause)
}
