import { readFileSync } from 'node:fs'
import type { Theme } from '../../features/applications/index.ts'

type Scheme = 'light' | 'dark'
type Colour = readonly [red: number, green: number, blue: number]

const styleSheet = readFileSync(new URL('../site/assets/tessera.css', import.meta.url), 'utf8')
const rootBlocks = [...styleSheet.matchAll(/:root \{([^}]*)\}/g)].map(([, declarations = '']) => declarations.trim())
/** The colours of our own pages in each scheme, as declarations of CSS. */
const ownColours: Record<Scheme, string> = {
  light: String(rootBlocks[0]).replace('color-scheme: light dark; ', ''),
  dark: String(rootBlocks[1]),
}

const white: Colour = [255, 255, 255]
const black: Colour = [0, 0, 0]
/** What text stands on in each scheme: the page and its cards. */
const papers: Record<Scheme, readonly Colour[]> = {
  light: [findColour('light', 'paper'), findColour('light', 'card')],
  dark: [findColour('dark', 'paper'), findColour('dark', 'card')],
}

function findColour(scheme: Scheme, name: string): Colour {
  const [, text = ''] = new RegExp(`--${name}: (#[0-9a-f]+)`).exec(ownColours[scheme]) ?? []
  return parseColour(text)
}

/** Parses `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`; how transparent it is does not count. */
function parseColour(text: string): Colour {
  const digits = text.slice(1)
  const pairs = digits.length < 6 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? [])
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => Number.parseInt(pair, 16))
  return [red, green, blue]
}

const formatColour = (colour: Colour): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** The relative luminance of a colour. Source: WCAG 2.2, "relative luminance". */
function getLuminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, from 1 to 21. Source: WCAG 2.2, "contrast ratio". */
function getContrast(one: Colour, other: Colour): number {
  const [low = 0, high = 0] = [getLuminance(one), getLuminance(other)].sort((left, right) => left - right)
  return (high + 0.05) / (low + 0.05)
}

/** The contrast that text needs. Source: WCAG 2.2, success criterion 1.4.3, with a little more against rounding. */
const minContrast = 4.6

const mix = (colour: Colour, other: Colour, share: number): Colour => {
  const [red = 0, green = 0, blue = 0] = colour.map((part, at) => part + ((other[at] ?? 0) - part) * share)
  return [red, green, blue]
}

/** Returns the brand's colour, darker or lighter until text in it can be read on the page. */
function adjustColour(colour: Colour, scheme: Scheme): Colour {
  const end = scheme === 'light' ? black : white
  const shades = Array.from({ length: 21 }, (_, step) => mix(colour, end, step / 20))
  return shades.find((shade) => papers[scheme].every((paper) => getContrast(shade, paper) >= minContrast)) ?? end
}

function createDeclarations({ primaryColor, secondaryColor }: Theme, scheme: Scheme): string {
  if (primaryColor === undefined) return ownColours[scheme]
  const accent = adjustColour(parseColour(primaryColor), scheme)
  const onAccent = getContrast(accent, white) >= getContrast(accent, black) ? white : black
  const second = secondaryColor === undefined ? '' : `; --second: ${formatColour(parseColour(secondaryColor))}`
  return `${ownColours[scheme]}; --accent: ${formatColour(accent)}; --on-accent: ${formatColour(onAccent)}${second}`
}

/** Creates the style sheet that gives our pages the colours and the scheme of an application. */
export function createLooks(theme: Theme): string {
  const { mode = 'system' } = theme
  if (mode !== 'system') return `:root { color-scheme: ${mode}; ${createDeclarations(theme, mode)} }\n`
  return `:root { ${createDeclarations(theme, 'light')} }
@media (prefers-color-scheme: dark) { :root { ${createDeclarations(theme, 'dark')} } }
`
}
