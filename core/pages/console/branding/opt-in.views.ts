import type { OptInForm } from '../../../features/dpp/index.ts'
import { formTypes } from '../../../features/dpp/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderCopyButton } from '../frame/copy.views.ts'
import { addRefusals, renderRefusal } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount } from '../frame/lists.views.ts'
import { getBrandingAddress } from './previews.ts'
import { brandingWords } from './words.ts'

/** What became of the last form that was sent. */
export interface OptInView {
  kept?: OptInForm | undefined
  problem?: ProblemError | undefined
}

export const getOptInPath = (id: string): string => `${getBrandingAddress(id)}/opt-in-form`

/** Renders the form for a signed form, and the address of the one that was sent. */
export function renderOptIn(page: ConsolePage, { id, kept, problem }: OptInView & { id: string }): Markup {
  const phrases = brandingWords[page.language]
  const words = addRefusals(page.words, phrases.codes, phrases.issues)
  // What can be wrong is always the file: its content, its type or its name.
  const labels = { content: phrases.file, contentType: phrases.file, fileName: phrases.file }
  return html`<h2 id="opt-in">${phrases.optIn}</h2>
<p>${phrases.optInText}</p>
${renderRefusal(problem, words, labels)}
${kept && renderKept(page, kept)}
<form class="card" method="post" action="${getOptInPath(id)}#opt-in" enctype="multipart/form-data" aria-labelledby="opt-in">
<div class="field"><label for="file">${phrases.file}</label>
<input id="file" name="file" type="file" accept="${formTypes.join(',')}" required aria-describedby="file-use">
<p class="quiet" id="file-use">${phrases.fileHint}</p></div>
<p><button class="small">${phrases.upload}</button></p></form>`
}

function renderKept({ words, language }: ConsolePage, { uri, size }: OptInForm): Markup {
  const phrases = brandingWords[language]
  return html`<section class="card" aria-labelledby="kept"><p class="good" id="kept" role="status">${phrases.kept}</p>
<dl><div><dt>${phrases.address}</dt><dd><code id="address">${uri}</code><br><span class="quiet">${phrases.size(formatCount(size, language))}</span></dd></div></dl>
<p>${renderCopyButton(words, 'address')}</p></section>`
}
