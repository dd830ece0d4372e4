import type { parseColour } from '../../../applications/index.ts'

type Colour = ReturnType<typeof parseColour>

/** The letters in five columns and seven rows: a row is five bits, two hexadecimal digits. */
const letters: Readonly<Record<string, string>> = {
  A: '0e11111f111111',
  B: '1e11111e11111e',
  C: '0e11101010110e',
  D: '1e11111111111e',
  E: '1f10101e10101f',
  F: '1f10101e101010',
  G: '0e11101711110f',
  H: '1111111f111111',
  I: '0e04040404040e',
  J: '0702020202120c',
  K: '11121418141211',
  L: '1010101010101f',
  M: '111b1515111111',
  N: '11191513111111',
  O: '0e11111111110e',
  P: '1e11111e101010',
  Q: '0e11111115120d',
  R: '1e11111e141211',
  S: '0f10100e01011e',
  T: '1f040404040404',
  U: '1111111111110e',
  V: '11111111110a04',
  W: '11111115151b11',
  X: '11110a040a1111',
  Y: '11110a04040404',
  Z: '1f01020408101f',
  0: '0e11131519110e',
  1: '040c040404040e',
  2: '0e11010204081f',
  3: '1f02040201110e',
  4: '02060a121f0202',
  5: '1f101e0101110e',
  6: '0608101e11110e',
  7: '1f010204080808',
  8: '0e11110e11110e',
  9: '0e11110f01020c',
}
const columns = 5
const rows = 7

/** Returns the first letter or digit of a name without its accents; null if it has none that can be drawn. */
function findLetter(name: string): string | null {
  const plain = name.normalize('NFKD').toUpperCase()
  return [...plain].find((character) => character in letters) ?? null
}

/**
 * Draws the first letter of a name on a square, or a disc if none of its letters can be drawn.
 * @returns red, green and blue of each pixel
 */
export function drawMonogram(name: string, side: number, colours: { paper: Colour; ink: Colour }): Buffer {
  const glyph = letters[findLetter(name) ?? ''] ?? null
  const unit = Math.max(1, Math.floor((side * 0.7) / rows))
  const [left, top] = [Math.floor((side - unit * columns) / 2), Math.floor((side - unit * rows) / 2)]
  const isInk = (x: number, y: number): boolean => {
    if (glyph === null) return (x + 0.5 - side / 2) ** 2 + (y + 0.5 - side / 2) ** 2 <= (side * 0.3) ** 2
    const [column, row] = [Math.floor((x - left) / unit), Math.floor((y - top) / unit)]
    if (column < 0 || column >= columns || row < 0 || row >= rows) return false
    return ((Number.parseInt(glyph.slice(row * 2, row * 2 + 2), 16) >> (columns - 1 - column)) & 1) === 1
  }
  const pixels = Buffer.alloc(side * side * 3)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const colour = isInk(x, y) ? colours.ink : colours.paper
      for (let part = 0; part < 3; part++) pixels[(y * side + x) * 3 + part] = Math.round(colour[part] ?? 0)
    }
  return pixels
}
