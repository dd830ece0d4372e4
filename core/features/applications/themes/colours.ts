import type { LookName, Theme, ThemeAdjustment } from './theme.schema.ts'

export type Scheme = 'light' | 'dark'
export type Colour = readonly [red: number, green: number, blue: number]

/** What the pages of a look are drawn with, as CSS writes colours: `paper` and `card` are what text stands on. */
export interface Papers {
  paper: string
  card: string
  ink: string
  quiet: string
  line: string
  accent: string
}

/** The colours of pages by their look, in each scheme; `own` is what pages without a look have. */
export const lookPapers: Readonly<Record<LookName | 'own', Readonly<Record<Scheme, Papers>>>> = {
  own: {
    light: { paper: '#fbfaf7', card: '#ffffff', ink: '#1b1b1f', quiet: '#5d5a52', line: '#d9d5cb', accent: '#0b5d57' },
    dark: { paper: '#17171a', card: '#1f1f24', ink: '#ecebe6', quiet: '#a8a59b', line: '#3a3a40', accent: '#5fc9bd' },
  },
  quiet: {
    light: { paper: '#fcfbf9', card: '#fcfbf9', ink: '#1d1b19', quiet: '#66615b', line: '#e5e0d9', accent: '#1d1b19' },
    dark: { paper: '#141312', card: '#141312', ink: '#efebe5', quiet: '#a8a199', line: '#35312d', accent: '#efebe5' },
  },
  bold: {
    light: { paper: '#ffffff', card: '#f4f4f2', ink: '#0a0a0a', quiet: '#595959', line: '#d6d6d2', accent: '#1f1fd1' },
    dark: { paper: '#0b0b0c', card: '#19191b', ink: '#fafafa', quiet: '#adadad', line: '#3b3b3f', accent: '#9d9dff' },
  },
  editorial: {
    light: { paper: '#f6f1e7', card: '#f6f1e7', ink: '#26211b', quiet: '#6a6054', line: '#dcd2c1', accent: '#7a2430' },
    dark: { paper: '#1a1613', card: '#1a1613', ink: '#f1e9dc', quiet: '#b3a693', line: '#3d352d', accent: '#e59aa3' },
  },
}

const white: Colour = [255, 255, 255]
const black: Colour = [0, 0, 0]

/** Parses `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`; how transparent it is does not count. */
export function parseColour(text: string): Colour {
  const digits = text.slice(1)
  const pairs = digits.length < 6 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? [])
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => Number.parseInt(pair, 16))
  return [red, green, blue]
}

export const formatColour = (colour: Colour): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** The relative luminance of a colour. Source: WCAG 2.2, "relative luminance". */
function getLuminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Computes the contrast of two colours, from 1 to 21. Source: WCAG 2.2, "contrast ratio". */
function computeContrast(one: Colour, other: Colour): number {
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

/** Returns the colours of pages with these looks. */
export const getPapers = ({ look }: Pick<Theme, 'look'>, scheme: Scheme): Papers => lookPapers[look ?? 'own'][scheme]

/** Lists what text stands on: the page and its cards. */
const listBackgrounds = (theme: Theme, scheme: Scheme): Colour[] => {
  const { paper, card } = getPapers(theme, scheme)
  return [parseColour(paper), parseColour(card)]
}

/** The most that the parts of a colour differ if it is a shade of grey to the eye. */
const maxGreySpread = 24

const isGrey = (colour: Colour): boolean => Math.max(...colour) - Math.min(...colour) <= maxGreySpread

/**
 * Returns the brand's colour, darker or lighter until text in it can be read on the page. A black or white that cannot
 * be read becomes the colour of the page's text: a middle grey, the first shade that can, is neither.
 */
export function adjustColour(colour: Colour, theme: Theme, scheme: Scheme): Colour {
  const end = scheme === 'light' ? black : white
  const backgrounds = listBackgrounds(theme, scheme)
  const isRead = backgrounds.every((background) => computeContrast(colour, background) >= minContrast)
  if (!isRead && isGrey(colour)) return parseColour(getPapers(theme, scheme).ink)
  const shades = Array.from({ length: 21 }, (_, step) => mix(colour, end, step / 20))
  return (
    shades.find((shade) => backgrounds.every((background) => computeContrast(shade, background) >= minContrast)) ?? end
  )
}

/** Returns black or white, whichever is read better on a colour. */
export const findTextColour = (background: Colour): Colour =>
  computeContrast(background, white) >= computeContrast(background, black) ? white : black

/** Lists the schemes in which pages with these looks are shown. */
export function listSchemes(theme: Theme): readonly Scheme[] {
  const mode = getMode(theme)
  return mode === 'auto' ? ['light', 'dark'] : [mode]
}

/** Returns the scheme in which pages with these looks are shown; `auto`: as the visitor's device says. */
export const getMode = ({ mode = 'auto' }: Theme): Scheme | 'auto' => (mode === 'system' ? 'auto' : mode)

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
      const ratio = Math.min(...listBackgrounds(theme, scheme).map((background) => computeContrast(parsed, background)))
      const shown = colour === 'primaryColor' ? formatColour(adjustColour(parsed, theme, scheme)) : formatColour(parsed)
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

/** Lists the colours of a theme that pages show in another shade, as the API answers them. */
export const listAdjustments = (theme: Theme): ThemeAdjustment[] =>
  listContrasts(theme).flatMap(({ colour, scheme, given, shown, ratio }) =>
    colour === 'primaryColor' && shown !== null ? [{ colour, scheme, given, shown, contrast: ratio }] : [],
  )
