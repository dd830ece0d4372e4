import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { StartError } from '../../kernel/process.ts'
import { isEnd, isHead, isPart } from './archive.frames.ts'

/** What an archive begins with. */
export interface ArchiveHead {
  kind: 'tessera-backup'
  format: 1
  /** Its own name, by which a restore that was cut short knows it again. */
  id: string
  at: string
  migrations: { name: string; checksum: string }[]
  /** Ids of the keys that its sealed values open with; the keys themselves are not in it. */
  keys: { platform: string[]; signer: string[] }
  /** First days of the months that events have a partition for. */
  months: string[]
}

/** What follows, each with its content. */
export type ArchivePart =
  | { kind: 'table'; schema: string; name: string; columns: string[] }
  | { kind: 'file'; path: string }

export interface Sequence { schema: string; name: string; value: string }

export interface ArchiveEnd { kind: 'end'; sequences: Sequence[]; tables: number; rows: number; files: number; sha256: string }

/** The archive cannot be used. */
export class ArchiveError extends StartError {
  override name = 'ArchiveError'

  constructor(reason: string) {
    super([reason])
  }
}

export interface ArchiveWriter {
  /** A head or a part whose content follows. */
  frame(frame: ArchiveHead | ArchivePart): Promise<void>
  content(piece: Buffer): Promise<void>
  endContent(): Promise<void>
  /** Ends the archive, and puts it in its place, whole and on the disk. @returns its bytes */
  finish(end: Omit<ArchiveEnd, 'kind' | 'sha256'>): Promise<number>
  /** Removes what was written. */
  abandon(): Promise<void>
}

/** What an operator reads of a system error. */
const causes: Record<string, string> = {
  ENOENT: 'there is no such folder', ENOTDIR: 'a part of its path is a file', EACCES: 'this user may not', EPERM: 'this user may not',
  EROFS: 'the disk is read-only', ENOSPC: 'the disk is full', EDQUOT: 'the share of this user is used up', EFBIG: 'it would be too large',
}

const unwritable = (file: string) => (cause: NodeJS.ErrnoException): never => {
  throw new ArchiveError(`${file} cannot be written: ${causes[cause.code ?? ''] ?? cause.message}`)
}

/**
 * Writes an archive: frames with their length before them, a JSON value or a piece of content, where the empty one ends
 * a content, and the end has a hash of it all; one zstd stream. It comes to its name whole or not
 * at all. @throws ArchiveError
 */
export async function writeArchive(file: string): Promise<ArchiveWriter> {
  if (await stat(file).catch(() => undefined)) throw new ArchiveError(`${file} is there already; name another file`)
  const draft = `${file}.${process.pid}.draft`
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  const hash = createHash('sha256')
  const target = (await open(draft, 'wx', 0o600).catch(unwritable(file))).createWriteStream({ flush: true })
  const written = once(target, 'close')
  const failed = Promise.withResolvers<never>()
  for (const stream of [compress, target]) stream.once('error', failed.reject)
  failed.promise.catch(() => undefined)
  written.catch(() => undefined)
  compress.pipe(target)

  async function write(bytes: Buffer): Promise<void> {
    add(hash, bytes)
    await send(bytes)
  }
  async function send(bytes: Buffer): Promise<void> {
    compress.write(lengthOf(bytes))
    if (!compress.write(bytes)) await Promise.race([once(compress, 'drain'), failed.promise]).catch(unwritable(file))
  }
  return {
    frame: (frame) => write(Buffer.from(JSON.stringify(frame))),
    content: write,
    endContent: () => write(Buffer.alloc(0)),
    async finish(end) {
      await send(Buffer.from(JSON.stringify({ kind: 'end', ...end, sha256: sumOf(hash, { kind: 'end', ...end }) })))
      compress.end()
      await Promise.race([written, failed.promise]).catch(unwritable(file))
      await rename(draft, file)
      await keepNames(dirname(file))
      return (await stat(file)).size
    },
    async abandon() {
      compress.destroy()
      target.destroy()
      await rm(draft, { force: true })
    },
  }
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return length
}

/** The hash of all frames of an archive, the last of which has it in it. */
const sumOf = (hash: Hash, end: Omit<ArchiveEnd, 'sha256'>): string => hash.update(JSON.stringify(end)).digest('hex')

const add = (hash: Hash, frame: Buffer) => hash.update(lengthOf(frame)).update(frame)

/** Has the names of a folder outlast a power cut, as those of files that were renamed do not by themselves. */
export async function keepNames(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** A part of an archive that is being read; its content has to be taken before the next part. */
export interface ReadPart { part: ArchivePart; content: AsyncIterable<Buffer> }

export interface ArchiveReader {
  head: ArchiveHead
  /** Every part in its order. @throws ArchiveError where the archive is cut short or damaged */
  parts(): AsyncGenerator<ReadPart>
  /** There when all parts were read. */
  end(): ArchiveEnd
  close(): void
}

/** Longest frame that is believed: a row of a table may be large, a length beyond this is none of ours. */
const maxFrameBytes = 1 << 30

/** Opens an archive. @throws ArchiveError when it is none */
export async function readArchive(file: string): Promise<ArchiveReader> {
  if (!(await stat(file).catch(() => undefined))?.isFile()) throw new ArchiveError(`There is no file ${file}`)
  const source = createReadStream(file)
  const decompress = createZstdDecompress()
  source.once('error', (cause) => decompress.destroy(cause))
  const frames = framesOf(source.pipe(decompress))
  const hash = createHash('sha256')
  const take = async () => {
    const frame = await next(frames, file)
    add(hash, frame)
    return frame
  }
  const head = await take().then((frame) => parse(frame, file)).catch((cause: unknown) => {
    source.destroy()
    throw cause
  })
  if (!isHead(head)) throw new ArchiveError(`${file} is no backup of Tessera, or of a newer version: restore it with the one that made it`)
  let end: ArchiveEnd | undefined

  async function* content(): AsyncGenerator<Buffer> {
    for (let piece = await take(); piece.length > 0; piece = await take()) yield piece
  }
  return {
    head,
    async* parts() {
      for (;;) {
        const frame = await next(frames, file)
        const part = parse(frame, file)
        if (isEnd(part)) {
          const { sha256, ...rest } = part
          if (sha256 !== sumOf(hash, rest)) throw damaged(file, new Error('it is not what was written'))
          const { done } = await frames.next().catch((cause: Error) => { throw damaged(file, cause) })
          if (!done) throw damaged(file, new Error('something follows its end'))
          end = part
          return
        }
        add(hash, frame)
        if (!isPart(part)) throw damaged(file, new Error('it has a part that none has'))
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

/** Reads an archive from its beginning to its end, so that nothing is begun with one that is damaged. @param check throws what speaks against a part @throws ArchiveError */
export async function checkArchive(file: string, check: (part: ArchivePart) => void): Promise<{ head: ArchiveHead; end: ArchiveEnd }> {
  const archive = await readArchive(file)
  try {
    let [tables, files] = [0, 0]
    for await (const { part, content } of archive.parts()) {
      check(part)
      if (part.kind === 'table') tables++
      else files++
      await passOver(content)
    }
    const end = archive.end()
    if (end.tables !== tables || end.files !== files) throw damaged(file, new Error('it has fewer parts than it had'))
    return { head: archive.head, end }
  } finally {
    archive.close()
  }
}

async function passOver(content: AsyncIterable<Buffer>): Promise<void> {
  const pieces = content[Symbol.asyncIterator]()
  while (!(await pieces.next()).done) continue
}

const damaged = (file: string, cause: Error) => new ArchiveError(`${file} is damaged or cut short: ${cause.message}`)

function parse(frame: Buffer, file: string): unknown {
  try {
    return JSON.parse(frame.toString())
  } catch (cause) {
    throw damaged(file, cause as Error)
  }
}

async function next(frames: AsyncGenerator<Buffer>, file: string): Promise<Buffer> {
  const { value, done } = await frames.next().catch((cause: Error) => { throw damaged(file, cause) })
  if (done) throw damaged(file, new Error('it ends too early'))
  return value as Buffer
}

async function* framesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
