import { crc32 } from 'node:zlib'

/** A file of an archive. */
export interface ArchivedFile {
  name: string
  body: Buffer
}

/** The parts of an archive that stand for one file: before its content is read, and in the directory at the end. */
interface Entry {
  local: Buffer
  /** Without the place of the file. */
  directory: Buffer
}

/** Marks and fixed values. Source: PKWARE, .ZIP File Format Specification 6.3, sections 4.3.7, 4.3.12 and 4.3.16. */
const zip = {
  localMark: 0x04034b50,
  directoryMark: 0x02014b50,
  endMark: 0x06054b50,
  version: 20,
  /** Names are UTF-8. */
  flags: 0x0800,
  /** The first of January 1980: a file says nothing about when it was made. */
  date: 0x0021,
  placeAt: 42,
} as const

function createEntry({ name, body }: ArchivedFile): Entry {
  const nameBytes = Buffer.from(name)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(zip.version, 0)
  common.writeUInt16LE(zip.flags, 2)
  common.writeUInt16LE(zip.date, 8)
  common.writeUInt32LE(crc32(body), 10)
  common.writeUInt32LE(body.length, 14)
  common.writeUInt32LE(body.length, 18)
  common.writeUInt16LE(nameBytes.length, 22)
  const localMark = Buffer.alloc(4)
  localMark.writeUInt32LE(zip.localMark)
  const directoryHead = Buffer.alloc(6)
  directoryHead.writeUInt32LE(zip.directoryMark)
  directoryHead.writeUInt16LE(zip.version, 4)
  const directoryRest = Buffer.alloc(14)
  return {
    local: Buffer.concat([localMark, common, nameBytes, body]),
    directory: Buffer.concat([directoryHead, common, directoryRest, nameBytes]),
  }
}

/**
 * Creates what packs files behind those that are in all archives. Nothing is compressed: pictures are by themselves, and
 * the rest is small.
 */
export function createPacker(shared: readonly ArchivedFile[]): (own: readonly ArchivedFile[]) => Buffer {
  const first = shared.map(createEntry)
  const sharedBytes = Buffer.concat(first.map(({ local }) => local))
  return (own) => {
    const added = own.map(createEntry)
    const locals = [sharedBytes, ...added.map(({ local }) => local)]
    const directories: Buffer[] = []
    let place = 0
    for (const { local, directory } of [...first, ...added]) {
      const copy = Buffer.from(directory)
      copy.writeUInt32LE(place, zip.placeAt)
      directories.push(copy)
      place += local.length
    }
    const end = Buffer.alloc(22)
    end.writeUInt32LE(zip.endMark)
    end.writeUInt16LE(directories.length, 8)
    end.writeUInt16LE(directories.length, 10)
    end.writeUInt32LE(
      directories.reduce((sum, { length }) => sum + length, 0),
      12,
    )
    end.writeUInt32LE(place, 16)
    return Buffer.concat([...locals, ...directories, end])
  }
}
