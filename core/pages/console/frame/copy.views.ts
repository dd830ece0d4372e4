import { html, type Markup } from '../../site/html.ts'
import type { ConsoleWords } from '../words/words.ts'

/** The script of pages with buttons that copy. Without it these buttons are absent; the texts can be selected. */
export const copyScript = '/assets/copy.js'

/** Renders the button that copies what stands in an element. @param from id of the element */
export const renderCopyButton = ({ list }: ConsoleWords, from: string): Markup =>
  html`<button class="small plain" type="button" hidden data-copy="${from}" data-done="${list.copied}">${list.copy}</button>`
