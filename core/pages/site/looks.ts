import { readFileSync } from 'node:fs'
import {
  adjustColour,
  findTextColour,
  formatColour,
  getPapers,
  getMode,
  listSchemes,
  lookNames,
  parseColour,
  type LookName,
  type Papers,
  type Scheme,
  type Theme,
} from '../../features/applications/index.ts'
import type { ServedPicture } from '../../features/dpp/index.ts'
import { findFont } from './fonts.ts'
import { html, type Markup } from './html.ts'
import { renderServedPicture } from './pictures.ts'
import type { PageReader } from './reader.ts'

const readSheet = (name: string): string => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')

const styleSheet = readSheet('tessera.css')
const rootBlocks = [...styleSheet.matchAll(/:root \{([^}]*)\}/g)].map(([, declarations = '']) => declarations.trim())
/** The colours of our own pages in each scheme, as declarations of CSS. */
const ownColours: Record<Scheme, string> = {
  light: String(rootBlocks[0]).replace('color-scheme: light dark; ', ''),
  dark: String(rootBlocks[1]),
}

/** The rules of each finished look. They have no sign that HTML would escape, because previews have them in the page. */
const lookSheets = Object.fromEntries(lookNames.map((name) => [name, readSheet(`look-${name}.css`)])) as Record<
  LookName,
  string
>

/** Returns the accent of pages with these looks, and what is written on it. */
function findAccent(theme: Theme, scheme: Scheme): { accent: string; onAccent: string } | null {
  const { look, primaryColor } = theme
  if (primaryColor === undefined && look === undefined) return null
  const colour = parseColour(primaryColor ?? getPapers(theme, scheme).accent)
  const accent = adjustColour(colour, theme, scheme)
  return { accent: formatColour(accent), onAccent: formatColour(findTextColour(accent)) }
}

function createDeclarations(theme: Theme, scheme: Scheme): string {
  const { look, secondaryColor } = theme
  const accent = findAccent(theme, scheme)
  const { paper, card, ink, quiet, line } = getPapers(theme, scheme)
  const parts = [
    look !== undefined && `--paper: ${paper}; --card: ${card}; --ink: ${ink}; --quiet: ${quiet}; --line: ${line}`,
    accent && `--accent: ${accent.accent}; --on-accent: ${accent.onAccent}`,
    secondaryColor !== undefined && `--second: ${formatColour(parseColour(secondaryColor))}`,
  ].filter((part) => typeof part === 'string')
  return [ownColours[scheme].replace(/;$/, ''), ...parts].join('; ')
}

/** Creates the rules of a font. A display family is for headings; with it, text has the font of the device. */
function createFontRules({ googleFont }: Theme): string {
  const font = findFont(googleFont)
  if (!font) return ''
  const rules = font.isDisplay
    ? `h1, h2, .owner, .tagline { font-family: ${font.stack}; }\n`
    : `:root { --text: ${font.stack}; }\nbody { font-family: var(--text); }\n`
  return `${font.faces}${rules}`
}

/** Creates the style sheet that gives our pages the colours, the type and the scheme of an application. */
export function createLooks(theme: Theme): string {
  const { look } = theme
  const mode = getMode(theme)
  const colours =
    mode === 'auto'
      ? `:root { ${createDeclarations(theme, 'light')} }
@media (prefers-color-scheme: dark) { :root { ${createDeclarations(theme, 'dark')} } }
`
      : `:root { color-scheme: ${mode}; ${createDeclarations(theme, mode)} }\n`
  return `${colours}${look === undefined ? '' : lookSheets[look]}${createFontRules(theme)}`
}

/** The application whose looks a page has. */
export interface LooksOwner {
  slug: string
  theme: Theme
  /**
   * The logo and the wide picture at addresses of ours; null if there is none, or none yet. Pages without a passport leave
   * them out, and show both from their own addresses.
   */
  logo?: ServedPicture | null
  banner?: ServedPicture | null
}

/**
 * Renders the head's link to the looks of an application; nothing if it has our own. The font is not loaded ahead: on a
 * slow line it would take the room of the style sheet, without which no text is shown.
 */
export function renderLooks({ slug, theme }: LooksOwner, { looks }: PageReader): Markup | false {
  if (looks) return looks
  const { mode, primaryColor, secondaryColor, look, googleFont } = theme
  const font = findFont(googleFont)
  if (!font && (mode ?? primaryColor ?? secondaryColor ?? look) === undefined) return false
  return html`<link rel="stylesheet" href="/me/looks.css?application=${slug}">\n`
}

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

/** Renders the wide picture of a brand; nothing if it has none. It tells nothing that the text does not. */
export function renderBanner({ theme: { bgImageUrl }, banner }: Omit<LooksOwner, 'slug'>): Markup | false {
  if (banner === undefined)
    return (
      bgImageUrl !== undefined
      && html`<img class="banner" src="${bgImageUrl}" alt="" loading="lazy" referrerpolicy="no-referrer">\n`
    )
  return (
    banner !== null
    && html`${renderServedPicture(banner, { alt: '', sizes: '100vw', room: bannerRoom, className: 'banner' })}\n`
  )
}

/** The most that a wide picture takes of a page, in pixels, as the style sheet says. */
const bannerRoom = { width: 1_280, height: 320 }

/** The colours of a page, as CSS writes them. */
interface Palette extends Papers {
  /** The scheme that they are of. */
  scheme: Scheme
  /** What is written on the accent. */
  onAccent: string
  second: string
}

/** Returns the colours of pages with these looks, on a light page unless the looks say that all are dark. */
export function getPalette(theme: Theme): Palette {
  const [scheme = 'light'] = listSchemes(theme)
  const papers = getPapers(theme, scheme)
  const accent = findAccent(theme, scheme)?.accent ?? papers.accent
  const onAccent = formatColour(findTextColour(parseColour(accent)))
  const second = theme.secondaryColor === undefined ? accent : formatColour(parseColour(theme.secondaryColor))
  return { ...papers, scheme, accent, onAccent, second }
}
