import { html, type Markup } from '../../site/html.ts'
import { renderCopyButton } from '../frame/copy.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { assistantWords } from './words.ts'

/** What stands in the settings for a key that the reader has to put in. */
export const keyPlaceholder = 'YOUR_API_KEY'

/** The forms in which clients of MCP are told a server, each with its text. */
const forms = {
  settings: (url: string, key: string) =>
    JSON.stringify({ mcpServers: { tessera: { type: 'http', url, headers: { 'X-Api-Key': key } } } }, null, 2),
  command: (url: string, key: string) =>
    `claude mcp add --transport http tessera '${url}' --header 'X-Api-Key: ${key}'`,
  request: (url: string, key: string) => `POST ${url}\nX-Api-Key: ${key}`,
} as const

const formNames = ['settings', 'command', 'request'] as const

/**
 * Renders the settings of the usual clients of MCP.
 * @param key the secret of the key, or what stands in its place
 */
export function renderClientSettings(page: ConsolePage, key: string): Markup {
  const phrases = assistantWords[page.language]
  const { mcpUrl } = page.work.context.settings
  return html`${formNames.map(
    (name) =>
      html`<section class="card" aria-labelledby="${name}-head"><h3 id="${name}-head">${phrases.forms[name]}</h3>
<p>${phrases.formTexts[name]}</p>
<pre id="${name}" class="whole" tabindex="0">${forms[name](mcpUrl, key)}</pre>${renderCopyButton(page.words, name)}</section>
`,
  )}`
}
