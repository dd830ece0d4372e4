import type { Theme } from '../../features/applications/index.ts'
import type { Mail } from '../../kernel/ports/messenger.ts'
import type { MailCode, MailLink, MailPart } from '../../kernel/text/mail-text.ts'
import { html, type Markup } from '../site/html.ts'
import { createMailLooks, type MailLooks } from './mails.looks.ts'

/** A logo at an address of ours, and the room that it takes. */
export interface MailLogo {
  address: string
  width: number
  height: number
}

/** In whose looks a mail is. */
export interface MailSender {
  name: string
  theme: Theme
  logo: MailLogo | null
  /** Whether our name stands at the end. */
  hasOurName: boolean
}

/**
 * Renders a mail as HTML: one column of at most 560 pixels, of tables because some programs know nothing else. It loads
 * nothing but the logo, from us, and all styles are in attributes, because programs drop style sheets.
 */
export function renderMailDocument(
  { subject, parts, language }: Pick<Mail, 'subject' | 'parts' | 'language'>,
  { name, theme, logo, hasOurName }: MailSender,
): string {
  const looks = createMailLooks(theme)
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${looks.scheme}">
<meta name="supported-color-schemes" content="${looks.scheme}">
<title>${subject}</title>
</head>
<body bgcolor="${looks.paper}" style="${looks.body}">
${renderPreview(parts)}
<main>
<table role="presentation" lang="${language}" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${looks.paper}" style="background-color:${looks.paper}">
<tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:560px">
<tr><td style="${looks.owner}">
<h1 style="margin:0;font-size:1em;font-weight:inherit;line-height:1.3">${logo ? renderLogo(logo, name) : name}</h1>
</td></tr>
<tr><td align="left" bgcolor="${looks.card}" style="${looks.content}">
${parts.map((part) => renderPart(part, looks))}</td></tr>
${hasOurName && html`<tr><td style="${looks.footer}">Tessera</td></tr>\n`}</table>
</td></tr>
</table>
</main>
</body>
</html>
`.text
}

/** Renders what lists of mails show after the subject, which has the code already: the first paragraph. */
function renderPreview(parts: readonly MailPart[]): Markup | false {
  const paragraph = parts.find((part) => typeof part === 'string')
  return (
    paragraph !== undefined
    && html`<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${paragraph}</div>`
  )
}

const renderLogo = ({ address, width, height }: MailLogo, name: string): Markup =>
  html`<img src="${address}" width="${width}" height="${height}" alt="${name}" style="border:0;vertical-align:middle">`

function renderPart(part: MailPart, looks: MailLooks): Markup {
  if (typeof part === 'string') return html`<p style="${looks.paragraph}">${part}</p>\n`
  return 'code' in part ? renderCode(part, looks) : renderLink(part, looks)
}

/** Renders a sentence with its code on a line of its own, which one touch or click selects. */
function renderCode({ code, sentence }: MailCode, { paragraph, code: style }: MailLooks): Markup {
  const at = sentence.indexOf(code)
  const [before, after] = [sentence.slice(0, at), sentence.slice(at + code.length)]
  return html`<p style="${paragraph}">${before}<strong style="${style}">${code}</strong>${after}</p>\n`
}

/** Renders a link as a button, and its address below for whoever wants to see or copy it. */
const renderLink = ({ label, address }: MailLink, looks: MailLooks): Markup =>
  html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 0"><tr><td align="center" bgcolor="${looks.accent}" style="${looks.buttonCell}"><a href="${address}" style="${looks.button}">${label}</a></td></tr></table>
<p style="${looks.address}"><a href="${address}" style="${looks.addressLink}">${address}</a></p>
`
