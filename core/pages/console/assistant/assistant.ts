import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { html, type Markup } from '../../site/html.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { demoPath } from '../demo/demo.views.ts'
import { formatKeyFormAddress } from '../keys/keys.views.ts'
import { keyPlaceholder, renderClientSettings } from './settings.views.ts'
import { copyScript, renderCopyButton } from '../frame/copy.views.ts'
import { assistantWords } from './words.ts'

const assistantPath = '/console/assistant'

/** The page that says how an assistant is connected, for every member. */
const assistantOperation = declareOperation({
  id: 'console_assistant_page_v1',
  method: 'GET',
  path: assistantPath,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'How an assistant is connected' },
}).withReadHandler(async (input) => {
  const page = openPage(input, assistantPath, 'organization:read')
  if (isAnswer(page)) return page
  return renderFramed(page, { title: assistantWords[page.language].title, script: copyScript }, renderAssistant(page))
})

function renderAssistant(page: ConsolePage): Markup {
  const phrases = assistantWords[page.language]
  const [before, after] = phrases.settingsText('\n').split('\n')
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
<section class="card" aria-labelledby="address-head"><h2 id="address-head">${phrases.addressHead}</h2>
<p>${phrases.addressText}</p>
<p><code id="address">${page.work.context.settings.mcpUrl}</code></p>${renderCopyButton(page.words, 'address')}</section>
<section class="card" aria-labelledby="key-head"><h2 id="key-head">${phrases.keyHead}</h2>
<p>${phrases.keyText}</p>
${
  may(page.member, 'apiKey:create')
    ? html`<p><a class="button small" href="${formatKeyFormAddress('passports')}">${phrases.makeKey}</a></p>
<p><a href="${formatKeyFormAddress('read')}">${phrases.makeReadKey}</a></p>`
    : html`<p>${phrases.askForKey}</p>`
}</section>
<h2>${phrases.settingsHead}</h2>
<p>${before}<code>${keyPlaceholder}</code>${after}</p>
${renderClientSettings(page, keyPlaceholder)}
${
  may(page.member, 'application:create')
  && html`<section class="card" aria-labelledby="demo-head"><h2 id="demo-head">${phrases.demoHead}</h2>
<p>${phrases.demoText}</p>
<p><a class="button small" href="${demoPath}">${phrases.demoLink}</a></p></section>`
}`
}

export const assistantPages: Operation[] = [assistantOperation]
