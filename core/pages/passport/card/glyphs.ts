import { inflateSync } from 'node:zlib'

/** The bytes of a WOFF header and of one entry of its directory. Source: WOFF File Format 1.0, sections 3 and 4. */
const woffLayout = { headerBytes: 44, entryBytes: 20, tableCountAt: 12 } as const

/** The formats of a character map that fonts for Unicode have: one for two bytes, and one for all characters. */
const segmentFormat = 4
const groupFormat = 12

/**
 * Reads which characters a WOFF font has a glyph for.
 * Source: OpenType specification, `cmap` table.
 * @returns code points
 */
export function readCharacters(font: Buffer): ReadonlySet<number> {
  const map = readTable(font, 'cmap')
  const characters = new Set<number>()
  const count = map.readUInt16BE(2)
  for (let at = 0; at < count; at++) {
    const subtable = map.subarray(map.readUInt32BE(4 + at * 8 + 4))
    const format = subtable.readUInt16BE(0)
    if (format === segmentFormat) addSegments(subtable, characters)
    if (format === groupFormat) addGroups(subtable, characters)
  }
  return characters
}

function readTable(font: Buffer, tag: string): Buffer {
  const tables = font.readUInt16BE(woffLayout.tableCountAt)
  for (let table = 0; table < tables; table++) {
    const at = woffLayout.headerBytes + table * woffLayout.entryBytes
    if (font.toString('latin1', at, at + 4) !== tag) continue
    const [offset, packedBytes, plainBytes] = [4, 8, 12].map((step) => font.readUInt32BE(at + step))
    const body = font.subarray(offset, (offset ?? 0) + (packedBytes ?? 0))
    return packedBytes === plainBytes ? body : inflateSync(body)
  }
  throw new Error(`The font has no table ${tag}`)
}

/** Adds the characters of a map by segments, each with an offset into a list of glyphs or a difference to the glyph. */
function addSegments(map: Buffer, characters: Set<number>): void {
  const doubled = map.readUInt16BE(6)
  const [ends, starts, deltas, offsets] = [14, 16 + doubled, 16 + 2 * doubled, 16 + 3 * doubled] as const
  for (let at = 0; at < doubled; at += 2) {
    const offset = map.readUInt16BE(offsets + at)
    const start = map.readUInt16BE(starts + at)
    for (let character = start; character <= Math.min(map.readUInt16BE(ends + at), 0xfffe); character++) {
      const listed = offset === 0 ? character : map.readUInt16BE(offsets + at + offset + 2 * (character - start))
      const hasGlyph = listed !== 0 && ((listed + map.readUInt16BE(deltas + at)) & 0xffff) !== 0
      if (hasGlyph) characters.add(character)
    }
  }
}

/** Adds the characters of a map by groups, each of which has glyphs one after the other. */
function addGroups(map: Buffer, characters: Set<number>): void {
  const count = map.readUInt32BE(12)
  for (let group = 0; group < count; group++) {
    const [start = 0, end = 0] = [16, 20].map((step) => map.readUInt32BE(step + group * 12))
    for (let character = start; character <= end; character++) characters.add(character)
  }
}
