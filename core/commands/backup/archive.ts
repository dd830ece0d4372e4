import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { StartError } from '../../kernel/process/process.ts'
import { isEnd, isHead, isPart } from './archive.frames.ts'

/** The first frame of an archive. */
export interface ArchiveHead {
  kind: 'tessera-backup'
  format: 1
  /** Id of the archive, by which a restore that was interrupted recognizes it. */
  id: string
  at: string
  migrations: { name: string; checksum: string }[]
  /** Ids of the keys that open the archive's sealed values. The archive does not contain the keys. */
  keys: { platform: string[]; signer: string[] }
  /** First days of the months for which events have a partition. */
  months: string[]
}

/** A part of an archive. The part's content follows its frame. */
export type ArchivePart =
  { kind: 'table'; schema: string; name: string; columns: string[] } | { kind: 'file'; path: string }

export interface Sequence {
  schema: string
  name: string
  value: string
}

export interface ArchiveEnd {
  kind: 'end'
  sequences: Sequence[]
  tables: number
  rows: number
  files: number
  sha256: string
}

/** Thrown when an archive cannot be written or used. */
export class ArchiveError extends StartError {
  override name = 'ArchiveError'

  constructor(reason: string) {
    super([reason])
  }
}

export interface ArchiveWriter {
  /** Writes a head, or a part whose content follows. */
  writeFrame(frame: ArchiveHead | ArchivePart): Promise<void>
  writeContent(piece: Buffer): Promise<void>
  endContent(): Promise<void>
  /** Ends the archive, syncs it to the disk and gives it its final name. @returns the archive's size in bytes */
  finish(end: Omit<ArchiveEnd, 'kind' | 'sha256'>): Promise<number>
  /** Removes what was written. */
  abandon(): Promise<void>
}

/** The explanations of system errors for operators, by error code. */
const systemErrorSentences: Record<string, string> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the share of this user is used up',
  EFBIG: 'it would be too large',
}

const throwUnwritable =
  (file: string) =>
  (cause: NodeJS.ErrnoException): never => {
    throw new ArchiveError(`${file} cannot be written: ${systemErrorSentences[cause.code ?? ''] ?? cause.message}`)
  }

/**
 * Writes an archive as one zstd stream of frames, each with its length before it. A frame is a JSON value or a piece of
 * content. An empty frame ends the content of a part, and the last frame has a hash of all frames. The archive gets its
 * name only when it is complete.
 * @throws ArchiveError
 */
export async function writeArchive(file: string): Promise<ArchiveWriter> {
  if (await stat(file).catch(() => undefined)) throw new ArchiveError(`${file} is there already; name another file`)
  const draft = `${file}.${process.pid}.draft`
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  const hash = createHash('sha256')
  const target = (await open(draft, 'wx', 0o600).catch(throwUnwritable(file))).createWriteStream({ flush: true })
  const written = once(target, 'close')
  const failed = Promise.withResolvers<never>()
  for (const stream of [compress, target]) stream.once('error', failed.reject)
  failed.promise.catch(() => undefined)
  written.catch(() => undefined)
  compress.pipe(target)

  async function write(bytes: Buffer): Promise<void> {
    addToHash(hash, bytes)
    await send(bytes)
  }
  async function send(bytes: Buffer): Promise<void> {
    compress.write(encodeLength(bytes))
    if (!compress.write(bytes))
      await Promise.race([once(compress, 'drain'), failed.promise]).catch(throwUnwritable(file))
  }
  return {
    writeFrame: (frame) => write(Buffer.from(JSON.stringify(frame))),
    writeContent: write,
    endContent: () => write(Buffer.alloc(0)),
    async finish(end) {
      await send(
        Buffer.from(JSON.stringify({ kind: 'end', ...end, sha256: finishHash(hash, { kind: 'end', ...end }) })),
      )
      compress.end()
      await Promise.race([written, failed.promise]).catch(throwUnwritable(file))
      await rename(draft, file)
      await syncFolder(dirname(file))
      return (await stat(file)).size
    },
    async abandon() {
      compress.destroy()
      target.destroy()
      await rm(draft, { force: true })
    },
  }
}

function encodeLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return length
}

/** Computes the hash of all frames of an archive, which the last frame contains. */
const finishHash = (hash: Hash, end: Omit<ArchiveEnd, 'sha256'>): string =>
  hash.update(JSON.stringify(end)).digest('hex')

const addToHash = (hash: Hash, frame: Buffer) => hash.update(encodeLength(frame)).update(frame)

/** Syncs a folder, so that renamed files keep their new names after a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** A part of an archive that is being read. Its content has to be read before the next part. */
export interface ArchivePartContent {
  part: ArchivePart
  content: AsyncIterable<Buffer>
}

export interface ArchiveReader {
  head: ArchiveHead
  /** Yields every part in order. @throws ArchiveError if the archive is cut short or damaged */
  parts(): AsyncGenerator<ArchivePartContent>
  /** Returns the last frame, once all parts were read. */
  end(): ArchiveEnd
  close(): void
}

/** Maximum length of a frame. A row of a table may be large, but a longer frame was not written by this program. */
const maxFrameBytes = 1 << 30

/** Opens an archive. @throws ArchiveError if the file is not an archive */
export async function readArchive(file: string): Promise<ArchiveReader> {
  if (!(await stat(file).catch(() => undefined))?.isFile()) throw new ArchiveError(`There is no file ${file}`)
  const source = createReadStream(file)
  const decompress = createZstdDecompress()
  source.once('error', (cause) => decompress.destroy(cause))
  const frames = readFrames(source.pipe(decompress))
  const hash = createHash('sha256')
  const take = async () => {
    const frame = await readFrame(frames, file)
    addToHash(hash, frame)
    return frame
  }
  const head = await take()
    .then((frame) => parseFrame(frame, file))
    .catch((cause: unknown) => {
      source.destroy()
      throw cause
    })
  if (!isHead(head))
    throw new ArchiveError(
      `${file} is no backup of Tessera, or of a newer version: restore it with the one that made it`,
    )
  let end: ArchiveEnd | undefined

  async function* content(): AsyncGenerator<Buffer> {
    for (let piece = await take(); piece.length > 0; piece = await take()) yield piece
  }
  return {
    head,
    async *parts() {
      for (;;) {
        const frame = await readFrame(frames, file)
        const part = parseFrame(frame, file)
        if (isEnd(part)) {
          const { sha256, ...rest } = part
          if (sha256 !== finishHash(hash, rest)) throw createDamagedError(file, new Error('it is not what was written'))
          const { done } = await frames.next().catch((cause: Error) => {
            throw createDamagedError(file, cause)
          })
          if (!done) throw createDamagedError(file, new Error('something follows its end'))
          end = part
          return
        }
        addToHash(hash, frame)
        if (!isPart(part)) throw createDamagedError(file, new Error('it has a part that none has'))
        yield { part, content: content() }
      }
    },
    end() {
      if (!end) throw new Error('the archive was not read to its end')
      return end
    },
    close: () => {
      source.destroy()
      decompress.destroy()
    },
  }
}

/**
 * Reads an archive from beginning to end, so that no restore begins with a damaged one.
 * @param check throws if a part is not acceptable
 * @throws ArchiveError
 */
export async function checkArchive(
  file: string,
  check: (part: ArchivePart) => void,
): Promise<{ head: ArchiveHead; end: ArchiveEnd }> {
  const archive = await readArchive(file)
  try {
    let [tables, files] = [0, 0]
    for await (const { part, content } of archive.parts()) {
      check(part)
      if (part.kind === 'table') tables++
      else files++
      await skipContent(content)
    }
    const end = archive.end()
    if (end.tables !== tables || end.files !== files)
      throw createDamagedError(file, new Error('it has fewer parts than it had'))
    return { head: archive.head, end }
  } finally {
    archive.close()
  }
}

async function skipContent(content: AsyncIterable<Buffer>): Promise<void> {
  const pieces = content[Symbol.asyncIterator]()
  while (!(await pieces.next()).done) continue
}

const createDamagedError = (file: string, cause: Error) =>
  new ArchiveError(`${file} is damaged or cut short: ${cause.message}`)

function parseFrame(frame: Buffer, file: string): unknown {
  try {
    return JSON.parse(frame.toString())
  } catch (cause) {
    throw createDamagedError(file, cause as Error)
  }
}

async function readFrame(frames: AsyncGenerator<Buffer>, file: string): Promise<Buffer> {
  const { value, done } = await frames.next().catch((cause: Error) => {
    throw createDamagedError(file, cause)
  })
  if (done) throw createDamagedError(file, new Error('it ends too early'))
  return value as Buffer
}

async function* readFrames(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  let wanted = -1
  for await (const chunk of bytes) {
    held.push(chunk)
    size += chunk.length
    for (;;) {
      const needed = wanted < 0 ? 4 : wanted
      if (size < needed) break
      const all = held.length === 1 && held[0] ? held[0] : Buffer.concat(held)
      const taken = all.subarray(0, needed)
      held = needed < all.length ? [all.subarray(needed)] : []
      size = all.length - needed
      if (wanted >= 0) {
        wanted = -1
        yield taken
      } else {
        wanted = taken.readUInt32BE()
        if (wanted > maxFrameBytes) throw new Error('a length is out of bounds')
      }
    }
  }
  if (size > 0 || wanted >= 0) throw new Error('it ends in the middle of a frame')
}
