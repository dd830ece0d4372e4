import type { Job } from '../../../../kernel/job.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatCount, renderInstant, renderTable } from '../../frame/lists.views.ts'
import { passportsPath } from '../list/titles.ts'
import { passportWords, type PassportWords } from '../words/words.ts'

const tones = { pending: '', completed: ' good', failed: ' bad' } as const

/** Renders a job about many passports: how far it is while it runs, then what it came to and what failed. */
export function renderJob({ language }: ConsolePage, job: Job): Markup {
  const phrases = passportWords[language]
  return html`<p><a href="${passportsPath}">${phrases.all}</a></p>
<h1>${phrases.jobTitles[job.type] ?? phrases.job}</h1>
<p role="status"><span class="badge${tones[job.status]}">${phrases.jobStates[job.status]}</span></p>
${job.status === 'pending' ? renderProgress(job, phrases, language) : renderResult(job, phrases, language)}
${job.errors.length > 0 && renderErrors(job, phrases)}
<h2>${phrases.aboutJob}</h2>
<section class="card"><dl>
<div><dt>${phrases.begun}</dt><dd>${renderInstant(job.createdAt)}</dd></div>
<div><dt>${phrases.moved}</dt><dd>${renderInstant(job.updatedAt)}</dd></div>
<div><dt>${phrases.job}</dt><dd><code>${job.id}</code></dd></div>
</dl></section>`
}

function renderProgress(job: Job, phrases: PassportWords, language: ConsolePage['language']): Markup {
  const { total, completed, failed } = job
  const share = total > 0 ? (completed + failed) / total : 0
  return html`<section class="card" aria-label="${phrases.progress}" data-follow="/v1/jobs/${job.id}/sse">
<progress class="bar" aria-label="${phrases.progress}"${total > 0 && html` value="${share}" max="1"`}></progress>
<p><span data-share>${Math.floor(share * 100)} %</span> ${phrases.ofPassports(total)} <strong data-count="completed">${formatCount(completed, language)}</strong> ${phrases.done}, <strong data-count="failed">${formatCount(failed, language)}</strong> ${phrases.failed}.</p>
<p class="quiet">${phrases.goesOn}</p>
</section>`
}

function renderResult(job: Job, phrases: PassportWords, language: ConsolePage['language']): Markup {
  const counts = Object.entries(job.result ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  )
  const names = Object.keys(phrases.results)
  const figures =
    counts.length > 0
      ? counts.sort(([one], [other]) => names.indexOf(one) - names.indexOf(other))
      : Object.entries({ completed: job.completed, failed: job.failed })
  return html`<section class="card" aria-label="${phrases.result}"><dl class="figures">
${figures.map(([name, count]) => html`<div><dt>${phrases.results[name] ?? name}</dt><dd${name === 'failed' && count > 0 && html` class="bad"`}>${formatCount(count, language)}</dd></div>`)}
</dl></section>`
}

const passportPattern = /^Passport ([0-9a-f-]{36}): (.*)$/s

function renderErrors({ errors, failed }: Job, phrases: PassportWords): Markup {
  const columns = [
    {
      head: phrases.passport,
      cell: ({ line, message }: Job['errors'][number]) => {
        const [, id] = passportPattern.exec(message) ?? []
        return id === undefined
          ? String(line)
          : html`<a href="${passportsPath}/${id}"><code>${id.slice(-12)}</code></a>`
      },
    },
    {
      head: phrases.fault,
      cell: ({ message, code }: Job['errors'][number]) =>
        html`<span lang="en">${passportPattern.exec(message)?.[2] ?? message}</span><br><span class="quiet">${code}</span>`,
    },
  ]
  return html`<h2>${phrases.faults}</h2>
${renderTable(phrases.faults, columns, errors)}
${failed > errors.length && html`<p class="quiet">${phrases.firstFaults(errors.length)}</p>`}`
}
