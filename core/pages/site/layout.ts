import { answerText, type TextAnswer } from '../../kernel/answer.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import { html, type Markup } from './html.ts'

export interface PageOptions {
  title: string
  /** The seconds after which the browser reloads the page; for jobs that are still running. */
  refresh?: number
  status?: number
  headers?: Record<string, string>
  lang?: string
  /** Whether the page uses the whole width of the window. */
  wide?: boolean
  /**
   * The address of one of our own scripts that follows the job; the refresh is then only for browsers without scripts.
   */
  script?: string
  /** The markup above the content. */
  top?: Markup
  /** Whether `top` has a menu that stands beside the content where there is room, and times are shown as the reader has them. */
  isFramed?: boolean
  /** Further elements of the head. */
  head?: Markup
  /** Whether the page, which has scripts, shows previews in frames. */
  hasFrames?: boolean
  /** Whether all pictures of the page are our own. */
  hasOwnPictures?: boolean
  /** The end of the page, in place of our name; false for none. */
  footer?: Markup | false
  /** The text of the link that skips what is above the content. */
  skip?: string
}

/**
 * The policy of pages: only our own style sheets and fonts, and https pictures, no script, no frame, forms only to
 * ourselves. Tools that judge a page read `robots.txt` as the page would, which `connect-src` allows; the page itself has
 * no script.
 */
const createContentPolicy = (pictures: string) =>
  `default-src 'none'; style-src 'self'; font-src 'self'; img-src ${pictures}; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
const contentPolicy = createContentPolicy("'self' https: data:")
/** The policy of a page of which all pictures are our own: none is loaded from elsewhere, whatever a brand wrote. */
const ownPicturesPolicy = createContentPolicy("'self'")
const scriptedPolicy = `${contentPolicy}; script-src 'self'`
/** The policy of a page that shows other pages of ours in frames: previews, which are the only ones that allow it. */
const framingPolicy = `${scriptedPolicy}; frame-src 'self'`

/**
 * Creates the policy of a preview. It is a page of ours that a page of ours shows in a frame, beside the form that it
 * follows, so `frame-ancestors` names ourselves and nobody else. Because its content is made up, it does nothing, also
 * where it is opened alone: it is a sandbox that sends no form, runs no script and opens no window. `allow-same-origin`
 * lets the page around it replace it and changes nothing else where no script runs. Its colours are not stored, so they
 * are in a style of its own, which its hash allows.
 * Source: CSP Level 3, sections 6.2, 6.3 and 6.4.
 * @param styleHash SHA-256 of the style, in base64
 */
export const createPreviewPolicy = (styleHash: string): string =>
  `default-src 'none'; style-src 'self' 'sha256-${styleHash}'; font-src 'self'; img-src 'self' https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin`

/** The options of a page that shows a problem: its status, and its headers, as when to try again. */
export const getProblemStatus = (problem: ProblemError | undefined): Pick<PageOptions, 'status' | 'headers'> =>
  problem ? { status: problem.status, headers: problem.headers } : {}

function choosePolicy({ hasFrames, hasOwnPictures, script, isFramed }: PageOptions): string {
  if (hasFrames) return framingPolicy
  if (script !== undefined || isFramed) return scriptedPolicy
  return hasOwnPictures ? ownPicturesPolicy : contentPolicy
}

/** Renders a whole page around `content`. The page is usable without scripts, with the keyboard and on a phone. */
export function renderPage(options: PageOptions, content: Markup): TextAnswer {
  const { title, refresh, status, headers, lang = 'en', wide, script, top, head, isFramed } = options
  const { skip = 'To the content', footer = html`<p>Tessera</p>` } = options
  const policy = choosePolicy(options)
  const classes = [wide && 'wide', isFramed && 'framed'].filter((name) => typeof name === 'string').join(' ')
  const refreshTag = refresh !== undefined && html`<meta http-equiv="refresh" content="${refresh}">`
  const document = html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${script !== undefined && refreshTag ? html`<noscript>${refreshTag}</noscript>` : refreshTag}
${script !== undefined && html`<script src="${script}" defer></script>`}
${isFramed && html`<script src="/assets/times.js" defer></script>`}
<title>${title}</title>
<link rel="stylesheet" href="/assets/tessera.css">
<link rel="icon" href="/assets/tessera.svg" type="image/svg+xml">
${head}</head>
<body${classes !== '' && html` class="${classes}"`}>
<a class="skip" href="#content">${skip}</a>
${top}
<main id="content">
${content}
</main>
${footer && html`<footer>${footer}</footer>`}
</body>
</html>
`
  return answerText(
    document.text,
    'text/html; charset=utf-8',
    {
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
      ...headers,
    },
    status,
  )
}
