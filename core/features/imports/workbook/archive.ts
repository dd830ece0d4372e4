import { crc32 } from 'node:zlib'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { InitError } from '../imports.types.ts'
import { brokenBook, largeBook } from './faults.ts'

/** Files of an archive, and bytes that those which are read have unpacked, all together: a small archive can hold a lot. */
const max = { files: 10_000, bytes: 256 * 1024 * 1024 }

/** The archive that a workbook is. Source: PKWARE, .ZIP File Format Specification; ECMA-376, part 2. */
export class Archive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  #bytes = 0

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** Reads the list of its files. @throws InitError IMPORT_WORKBOOK_BROKEN, IMPORT_TOO_LARGE */
  static async open(bytes: Buffer): Promise<Archive> {
    try {
      const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false })
      if (zip.entryCount > max.files) throw largeBook(`The workbook has more than ${max.files.toLocaleString('en')} parts.`)
      const entries = new Map<string, Entry>()
      for await (const entry of zip.eachEntry()) {
        // Names of parts have no case.
        const name = entry.fileName.toLowerCase()
        if (entries.has(name)) throw brokenBook(`The workbook has two parts that are called ${entry.fileName.slice(0, 100)}.`)
        entries.set(name, entry)
      }
      return new Archive(zip, entries)
    } catch (cause) {
      throw explained(cause)
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /** The bytes of a file, held against its length and checksum. @throws InitError as `open` */
  async* read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name.toLowerCase())
    if (!entry) throw brokenBook(`The workbook lacks its part ${name.slice(0, 100)}.`)
    if (entry.isEncrypted()) throw brokenBook('The workbook is protected by a password. Take the protection off, and send it again.')
    let checksum = 0
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry) as AsyncIterable<Buffer>) {
        this.#bytes += chunk.length
        if (this.#bytes > max.bytes) throw largeBook(`The workbook has more than ${max.bytes} bytes, unpacked.`)
        checksum = crc32(chunk, checksum)
        yield chunk
      }
    } catch (cause) {
      throw explained(cause)
    }
    if (checksum !== entry.crc32) throw brokenBook(`The part ${name.slice(0, 100)} of the workbook was damaged: its checksum is another one.`)
  }
}

function explained(cause: unknown): unknown {
  if (cause instanceof InitError || !(cause instanceof Error)) return cause
  return brokenBook('The workbook cannot be unpacked: it was cut off or damaged on its way.', cause)
}
