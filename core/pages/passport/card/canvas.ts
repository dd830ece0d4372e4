import { readFileSync } from 'node:fs'
import { type Canvas, createCanvas, GlobalFonts, loadImage, type Image, type SKRSContext2D } from '@napi-rs/canvas'
import { readCharacters } from './glyphs.ts'

/** The parts of Inter by writing systems, all of one weight. */
const subsets = ['latin', 'latin-ext', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese'] as const
const weight = 600

const characters = new Set<number>()
const families: string[] = []
for (const subset of subsets) {
  const font = readFileSync(
    new URL(import.meta.resolve(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff`)),
  )
  const family = `Card ${subset}`
  if (GlobalFonts.register(font, family) === null) throw new Error(`The font of ${subset} cannot be read`)
  families.push(`"${family}"`)
  for (const character of readCharacters(font)) characters.add(character)
}

/** The size of a card in pixels, as other sites show it. Source: Open Graph protocol, structured properties. */
export const cardSize = { width: 1_200, height: 630 } as const
const margin = 64
/** Where the picture begins, if there is one: it takes the rest of the card. */
const pictureFrom = 660
const logoRoom = { width: 300, height: 90 }
/** The sizes of the name, the largest that fits first, and the most lines that it takes. */
const nameSizes = [72, 60, 50, 42] as const
const maxNameLines = 4
const brandSize = 32
const barHeight = 18

/** The most bytes of a card: several sites leave out larger ones. */
const maxCardBytes = 100_000
const qualities = [88, 75, 60, 45, 30, 15, 5] as const

/** Everything that a card shows. */
export interface CardContent {
  name: string
  brand: string
  colours: { ink: string; paper: string; card: string; accent: string; second: string }
  /** Pictures in a size for pages. */
  logo: Buffer | null
  picture: Buffer | null
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** Draws a card as JPEG. */
export async function drawCard({ name, brand, colours, logo, picture }: CardContent): Promise<Buffer> {
  const { width, height } = cardSize
  const [logoImage, pictureImage] = await Promise.all([logo && loadImage(logo), picture && loadImage(picture)])
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  fill(context, colours.paper, { x: 0, y: 0, width, height })
  const textWidth = (pictureImage ? pictureFrom : width) - 2 * margin
  if (pictureImage) {
    const box = { x: pictureFrom, y: 0, width: width - pictureFrom, height: height - barHeight }
    fill(context, colours.card, box)
    drawWithin(context, pictureImage, box, 0.5)
  }
  if (logoImage) drawWithin(context, logoImage, { x: margin, y: margin, ...logoRoom }, 0)
  drawTexts(
    context,
    { name: cleanText(name), brand: cleanText(brand), colours, hasLogo: logoImage !== null },
    textWidth,
  )
  fill(context, colours.accent, { x: 0, y: height - barHeight, width, height: barHeight })
  fill(context, colours.second, { x: width - pictureFrom / 3, y: height - barHeight, width, height: barHeight })
  return encode(canvas)
}

/** Encodes a card in the best quality that is small enough. */
async function encode(canvas: Canvas): Promise<Buffer> {
  const [best, ...lower] = qualities
  let card = await canvas.encode('jpeg', best)
  for (const quality of lower) {
    if (card.length <= maxCardBytes) break
    card = await canvas.encode('jpeg', quality)
  }
  return card
}

function fill(context: SKRSContext2D, colour: string, { x, y, width, height }: Box): void {
  context.fillStyle = colour
  context.fillRect(x, y, width, height)
}

/** Draws a whole picture as large as a box lets it be. @param share of the free room that is before it */
function drawWithin(context: SKRSContext2D, image: Image, box: Box, share: number): void {
  const scale = Math.min(box.width / image.width, box.height / image.height)
  const [width, height] = [image.width * scale, image.height * scale]
  context.drawImage(image, box.x + (box.width - width) * share, box.y + (box.height - height) * share, width, height)
}

interface CardTexts {
  name: string | null
  brand: string | null
  colours: CardContent['colours']
  hasLogo: boolean
}

function drawTexts(context: SKRSContext2D, { name, brand, colours, hasLogo }: CardTexts, width: number): void {
  if (brand !== null) {
    setFont(context, brandSize)
    context.fillStyle = colours.accent
    const y = hasLogo ? cardSize.height - barHeight - margin / 2 : margin + brandSize
    context.fillText(shorten(context, brand, width), margin, y)
  }
  if (name === null) return
  const { size, lines } = layOutName(context, name, width)
  context.fillStyle = colours.ink
  const lineHeight = size * 1.15
  const top = (cardSize.height - lines.length * lineHeight) / 2
  for (const [at, line] of lines.entries()) context.fillText(line, margin, top + at * lineHeight + size)
}

const setFont = (context: SKRSContext2D, size: number): void => {
  context.font = `${size}px ${families.join(', ')}`
}

/** Finds the largest size at which a name fits, and its lines; one that never fits is cut at the smallest size. */
function layOutName(context: SKRSContext2D, name: string, width: number): { size: number; lines: string[] } {
  let found: { size: number; lines: string[] } = { size: 0, lines: [] }
  for (const size of nameSizes) {
    setFont(context, size)
    found = { size, lines: wrap(context, name, width) }
    if (found.lines.length <= maxNameLines) return found
  }
  const kept = found.lines.slice(0, maxNameLines)
  return { ...found, lines: kept.with(-1, shorten(context, `${kept.at(-1)}…`, width)) }
}

/** Breaks a text into lines between words, and within a word that is wider than a line. */
function wrap(context: SKRSContext2D, text: string, width: number): string[] {
  const fits = (line: string) => context.measureText(line).width <= width
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (fits(longer)) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (line !== '' && !fits(line + character)) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return line === '' ? lines : [...lines, line]
}

/** Shortens a text to a width, with a mark that it goes on. */
function shorten(context: SKRSContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text
  const signs = [...text.replace(/…$/, '')]
  while (signs.length > 0 && context.measureText(`${signs.join('')}…`).width > width) signs.pop()
  return `${signs.join('').trimEnd()}…`
}

/** The most characters of a text that are looked at; no card has room for more. */
const maxCharacters = 300

/**
 * Prepares a text for the font. Symbols such as emoji are left out of it. A text with a letter that the font lacks is left
 * out as a whole, because a name without some of its letters is a wrong name.
 * @returns null if nothing is left to draw
 */
function cleanText(text: string): string | null {
  const plain = text
    .slice(0, 4 * maxCharacters)
    .normalize('NFC')
    .replaceAll(
      /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u{fe0f}]/gu,
      ' ',
    )
    .replaceAll(/\s+/gu, ' ')
    .trim()
  const signs = [...plain].slice(0, maxCharacters)
  if (signs.length === 0 || signs.some((sign) => !characters.has(sign.codePointAt(0) ?? 0))) return null
  return signs.join('')
}
