import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { answerBytes } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { string } from '../../kernel/schema.ts'
import { fontFamilies, type FontFamily } from '../../features/applications/index.ts'
import { immutable } from './served-files.ts'

/** The parts of a family that are served. A browser loads the second one only for letters that the first one lacks. */
const subsets = ['latin', 'latin-ext'] as const

/** A file of a font, under an address that changes with its bytes. */
interface FontFile {
  name: string
  bytes: Buffer
  /** The characters that it has, as CSS writes them. */
  range: string
}

/**
 * Whether a family is for all text or only for headings. What is drawn for large sizes has hairlines that are lost in
 * small ones.
 */
const families: Readonly<Record<FontFamily, { isDisplay: boolean; fallback: 'sans-serif' | 'serif' }>> = {
  Inter: { isDisplay: false, fallback: 'sans-serif' },
  'Open Sans': { isDisplay: false, fallback: 'sans-serif' },
  Figtree: { isDisplay: false, fallback: 'sans-serif' },
  Jost: { isDisplay: false, fallback: 'sans-serif' },
  Archivo: { isDisplay: false, fallback: 'sans-serif' },
  'Cormorant Garamond': { isDisplay: true, fallback: 'serif' },
  'Playfair Display': { isDisplay: true, fallback: 'serif' },
}

const resolveFile = (path: string): URL => new URL(import.meta.resolve(`@fontsource-variable/${path}`))

/** Reads the files of a family: one file has all its weights. They are read once, when the process starts. */
function readFamily(family: FontFamily): FontFile[] {
  const id = family.toLowerCase().replaceAll(' ', '-')
  const ranges = JSON.parse(readFileSync(resolveFile(`${id}/unicode.json`), 'utf8')) as Record<string, string>
  return subsets.map((subset) => {
    const bytes = readFileSync(resolveFile(`${id}/files/${id}-${subset}-wght-normal.woff2`))
    const name = `${id}-${subset}-${hash('sha256', bytes).slice(0, 12)}.woff2`
    return { name, bytes, range: ranges[subset] ?? '' }
  })
}

const filesByFamily = new Map(fontFamilies.map((family) => [family as string, readFamily(family)]))
const filesByName = new Map([...filesByFamily.values()].flat().map((file) => [file.name, file]))

const getAddress = ({ name }: FontFile): string => `/assets/fonts/${name}`

/** A family as a style sheet needs it. */
export interface Font {
  /** What declares the family, as CSS: text is shown in another font until it is there. */
  faces: string
  /** The value of `font-family`. */
  stack: string
  isDisplay: boolean
}

/** Finds a family; null for one that the platform does not serve, as a theme that is older than the list may name. */
export function findFont(family: string | undefined): Font | null {
  const files = filesByFamily.get(family ?? '')
  if (!files) return null
  const { isDisplay, fallback } = families[family as FontFamily]
  const faces = files.map(
    (file) =>
      `@font-face { font-family: ${family}; src: url(${getAddress(file)}) format(woff2); font-weight: 100 900; font-display: swap; unicode-range: ${file.range}; }\n`,
  )
  const stack = `${family}, ${fallback === 'serif' ? 'Georgia, serif' : 'system-ui, sans-serif'}`
  return { faces: faces.join(''), stack, isDisplay }
}

/** A file of a font. Its address changes with its bytes, so that a browser never has to ask for it again. */
const fontOperation = declareOperation({
  id: 'asset_font_v1',
  method: 'GET',
  path: '/assets/fonts/:file',
  access: 'public',
  params: { file: string('Name of the file.', { maxLength: 100 }) },
  returns: { 200: { type: 'font/woff2', description: 'The file.' } },
  document: { tag: 'Pages', summary: 'A font of pages', isHidden: true },
}).withReadHandler(async ({ params }) => {
  const file = filesByName.get(params.file)
  if (!file) throw createNotFoundProblem()
  return answerBytes(file.bytes, 'font/woff2', immutable)
})

export const fontOperations: Operation[] = [fontOperation]
