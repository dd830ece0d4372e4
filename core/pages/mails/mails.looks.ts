import type { LookName, Theme } from '../../features/applications/index.ts'
import { findFont } from '../site/fonts.ts'
import { getPalette } from '../site/looks.ts'

/** What the parts of a mail look like: the values of their `style` attributes, and colours that tables need too. */
export interface MailLooks {
  scheme: 'light' | 'dark'
  paper: string
  card: string
  accent: string
  body: string
  owner: string
  content: string
  paragraph: string
  code: string
  buttonCell: string
  button: string
  address: string
  addressLink: string
  footer: string
}

/** What a look is beside its colours, as declarations of CSS. */
interface Shape {
  font: string
  owner: string
  content: string
  corner: string
  button: string
}

/** Fonts that devices have, the nearest to each of our own first. No mail loads a font. */
const sansSerif = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'
const serif = 'Iowan Old Style, Palatino, Georgia, serif'

/** Creates the shape of each look, as its pages have it. */
const shapes: Readonly<Record<LookName | 'own', (line: string, ink: string) => Shape>> = {
  own: (line) => ({
    font: sansSerif,
    owner: 'font-size:20px;font-weight:700;text-align:left;padding:0 0 16px',
    content: `border:1px solid ${line};border-radius:12px;padding:28px 24px 12px`,
    corner: '8px',
    button: 'font-size:16px;font-weight:600',
  }),
  quiet: (line) => ({
    font: sansSerif,
    owner:
      'font-size:14px;font-weight:500;letter-spacing:0.22em;text-transform:uppercase;text-align:center;padding:16px 0 28px',
    content: `border-top:1px solid ${line};padding:28px 0 12px`,
    corner: '0',
    button: 'font-size:14px;font-weight:500;letter-spacing:0.14em;text-transform:uppercase',
  }),
  bold: (_, ink) => ({
    font: sansSerif,
    owner: `font-size:20px;font-weight:800;text-align:left;padding:0 0 12px;border-bottom:3px solid ${ink}`,
    content: 'border-radius:0 0 6px 6px;padding:28px 24px 12px',
    corner: '6px',
    button: 'font-size:17px;font-weight:700',
  }),
  editorial: (line) => ({
    font: serif,
    owner: 'font-size:26px;font-weight:500;line-height:1.2;text-align:center;padding:16px 0 24px',
    content: `border-top:1px solid ${line};padding:28px 0 12px`,
    corner: '0',
    button: `font-family:${sansSerif};font-size:15px;font-weight:600`,
  }),
}

/**
 * Creates the looks of mails with a theme. A mail has one scheme: dark if all pages of the application are dark, else
 * light. Every text says its colour and what it stands on, so that a program that turns mails dark turns both.
 */
export function createMailLooks(theme: Theme): MailLooks {
  const { scheme, paper, card, ink, quiet, line, accent, onAccent } = getPalette(theme)
  const shape = shapes[theme.look ?? 'own'](line, ink)
  const font = findFont(theme.googleFont)
  const textFont = font && !font.isDisplay ? font.stack : shape.font
  const headFont = font ? font.stack : shape.font
  return {
    scheme,
    paper,
    card,
    accent,
    body: `margin:0;padding:0;color-scheme:${scheme};background-color:${paper};color:${ink};font-family:${textFont}`,
    owner: `font-family:${headFont};color:${ink};${shape.owner}`,
    content: `background-color:${card};color:${ink};${shape.content}`,
    paragraph: `margin:0 0 16px;font-family:${textFont};font-size:16px;line-height:1.6;color:${ink};overflow-wrap:anywhere`,
    code: `display:block;color:${accent};margin:0 0 8px;font-size:38px;line-height:1.2;font-weight:700;letter-spacing:0.12em;font-variant-numeric:tabular-nums;white-space:nowrap;-webkit-user-select:all;user-select:all`,
    buttonCell: `border-radius:${shape.corner};background-color:${accent}`,
    button: `display:inline-block;padding:14px 24px;font-family:${textFont};${shape.button};line-height:1.3;text-decoration:none;color:${onAccent};background-color:${accent};border-radius:${shape.corner}`,
    address: `margin:12px 0 20px;font-family:${textFont};font-size:13px;line-height:1.5;color:${quiet};overflow-wrap:anywhere;word-break:break-all`,
    addressLink: `color:${quiet};text-decoration:underline`,
    footer: `padding:20px 0 8px;font-family:${textFont};font-size:13px;line-height:1.5;text-align:center;color:${quiet}`,
  }
}
