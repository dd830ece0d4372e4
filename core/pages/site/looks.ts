import { readFileSync } from 'node:fs'
import type { Theme } from '../../features/applications/index.ts'
import type { ServedPicture } from '../../features/dpp/index.ts'
import { html, type Markup } from './html.ts'
import { renderServedPicture } from './pictures.ts'
import type { PageReader } from './reader.ts'

type Scheme = 'light' | 'dark'
type Colour = readonly [red: number, green: number, blue: number]

const styleSheet = readFileSync(new URL('./assets/tessera.css', import.meta.url), 'utf8')
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

/** The contrast that text needs. Source: WCAG 2.2, success criterion 1.4.3. */
const minTextContrast = 4.5
/** The contrast that our pages give text in the colour of an application: a little more, against rounding. */
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
  const second = secondaryColor === undefined ? '' : `; --second: ${formatColour(parseColour(secondaryColor))}`
  if (primaryColor === undefined) return `${ownColours[scheme]}${second}`
  const accent = adjustColour(parseColour(primaryColor), scheme)
  const onAccent = getContrast(accent, white) >= getContrast(accent, black) ? white : black
  return `${ownColours[scheme]}; --accent: ${formatColour(accent)}; --on-accent: ${formatColour(onAccent)}${second}`
}

/** The schemes in which pages with these looks are shown. */
const listSchemes = ({ mode = 'system' }: Theme): readonly Scheme[] => (mode === 'system' ? ['light', 'dark'] : [mode])

/** Creates the style sheet that gives our pages the colours and the scheme of an application. */
export function createLooks(theme: Theme): string {
  const { mode = 'system' } = theme
  if (mode !== 'system') return `:root { color-scheme: ${mode}; ${createDeclarations(theme, mode)} }\n`
  return `:root { ${createDeclarations(theme, 'light')} }
@media (prefers-color-scheme: dark) { :root { ${createDeclarations(theme, 'dark')} } }
`
}

/** The application whose looks a page has. */
export interface LooksOwner {
  slug: string
  theme: Theme
  /**
   * The logo at addresses of ours; null if there is none, or none yet. Pages without a passport leave it out, and show the
   * logo from its own address.
   */
  logo?: ServedPicture | null
}

/** Renders the head's link to the colours of an application; nothing if it has our own. */
export const renderLooks = ({ slug, theme }: LooksOwner, { looks }: PageReader): Markup | false =>
  looks
  ?? ((theme.mode ?? theme.primaryColor ?? theme.secondaryColor) !== undefined
    && html`<link rel="stylesheet" href="/me/looks.css?application=${slug}">\n`)

/** Renders the logo of an application; nothing if it has none. */
export function renderLogo({ theme: { logoUrl }, logo }: LooksOwner): Markup | false {
  if (logo === undefined) return logoUrl !== undefined && html`<img class="logo" src="${logoUrl}" alt="">\n`
  return (
    logo !== null
    && html`${renderServedPicture(logo, { alt: '', sizes: '12rem', room: logoRoom, isFirst: true, className: 'logo' })}\n`
  )
}

/** The most that a logo takes of a page, in pixels, as the style sheet says. */
const logoRoom = { width: 192, height: 64 }

/** The colours of a page, as CSS writes them. */
interface Palette {
  ink: string
  paper: string
  line: string
  card: string
  accent: string
  second: string
}

/** Returns the colours of pages with these looks, on a light page unless the looks say that all are dark. */
export function getPalette(theme: Theme): Palette {
  const [scheme = 'light'] = listSchemes(theme)
  const pick = (name: string) => formatColour(findColour(scheme, name))
  const { primaryColor, secondaryColor } = theme
  const accent =
    primaryColor === undefined ? pick('accent') : formatColour(adjustColour(parseColour(primaryColor), scheme))
  return {
    ink: pick('ink'),
    paper: pick('paper'),
    line: pick('line'),
    card: pick('card'),
    accent,
    second: secondaryColor === undefined ? accent : formatColour(parseColour(secondaryColor)),
  }
}

/** How a colour of an application can be read as text on a page. */
export interface ColourContrast {
  colour: 'primaryColor' | 'secondaryColor'
  /** As the application says it. */
  given: string
  scheme: Scheme
  /** From 1 to 21, the lower one of the page and its cards, cut after two decimals. */
  ratio: number
  isEnough: boolean
  /** The shade that our pages show instead, as `#rrggbb`; null if they show the colour itself. */
  shown: string | null
}

/** Lists how the colours of an application can be read as text, in each scheme in which its pages are shown. */
export function listContrasts(theme: Theme): ColourContrast[] {
  return (['primaryColor', 'secondaryColor'] as const).flatMap((colour) => {
    const given = theme[colour]
    if (given === undefined) return []
    return listSchemes(theme).map((scheme) => {
      const parsed = parseColour(given)
      const ratio = Math.min(...papers[scheme].map((paper) => getContrast(parsed, paper)))
      const shown = colour === 'primaryColor' ? formatColour(adjustColour(parsed, scheme)) : formatColour(parsed)
      return {
        colour,
        given,
        scheme,
        ratio: Math.floor(ratio * 100) / 100,
        isEnough: ratio >= minTextContrast,
        shown: shown === formatColour(parsed) ? null : shown,
      }
    })
  })
}
