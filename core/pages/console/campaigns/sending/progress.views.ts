import type { JobRow } from '../../../../features/jobs/index.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatCount } from '../../frame/lists.views.ts'
import { campaignWords } from '../words/words.ts'

interface ProgressView {
  job: JobRow
  isFrozen: boolean
  now: Date
}

/** Estimates when a job is through if it goes on as it did; null if it did nothing yet. */
function estimateEnd({ total, completed, failed, created_at: begun }: JobRow, now: Date): Date | null {
  const done = completed + failed
  if (done === 0 || total <= done) return null
  const passedMs = now.getTime() - begun.getTime()
  return new Date(now.getTime() + (passedMs / done) * (total - done))
}

/** Renders how far a campaign is; the script follows its job. */
export function renderProgress({ language }: ConsolePage, { job, isFrozen, now }: ProgressView): Markup {
  const phrases = campaignWords[language]
  const { total, completed, failed } = job
  const share = total > 0 ? Math.min(1, (completed + failed) / total) : 0
  const end = estimateEnd(job, now)
  return html`<section class="card" aria-label="${phrases.progress}" data-follow="/v1/jobs/${job.id}/sse">
<progress class="bar" aria-label="${phrases.progressBar}"${total > 0 && html` value="${share}" max="1"`}></progress>
<p><span data-share>${Math.floor(share * 100)} %</span> ${phrases.ofAll(formatCount(total, language))} <strong data-count="completed">${formatCount(completed, language)}</strong> ${phrases.done} <strong data-count="failed">${formatCount(failed, language)}</strong> ${phrases.failed}</p>
<p class="quiet"><span data-through${end === null && html` hidden`}>${phrases.through} <time data-end data-shown="instant"${end !== null && html` datetime="${end.toISOString()}"`}>${end !== null && `${end.toISOString().slice(11, 16)} UTC`}</time>.</span><span data-later${end !== null && html` hidden`}>${isFrozen ? phrases.throughLater : phrases.freezing}</span></p>
</section>`
}
