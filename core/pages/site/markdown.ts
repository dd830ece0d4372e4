import { Marked } from 'marked'
import { html, Markup } from './html.ts'

/** Elements of HTML within a text are shown as they are written. */
const marked = new Marked({ renderer: { html: ({ text }) => html`${text}`.text } })

/** Renders a text of our own in Markdown (CommonMark). */
export const renderMarkdown = (text: string): Markup => new Markup(marked.parse(text, { async: false }))
