import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { formatCount, renderTable } from '../frame/lists.views.ts'

/** How many of something there were on a day. */
export interface DayCount {
  /** The day, as 2026-11-28. */
  at: string
  count: number
  /** The count as it is shown, where a number could not hold all its digits. */
  text?: string
}

interface Bars {
  /** What is counted, with how many there were in all. */
  label: string
  /** The heading of the table beneath. */
  tableLabel: string
  /** The headings of its columns. */
  heads: readonly [day: string, count: string]
}

const height = 96
const barWidth = 14
const step = 20

/**
 * Renders counts by day as a picture of bars with the table beneath. The picture is drawn here, so it needs no script,
 * and it is hidden from screen readers, which have the table.
 */
export function renderBars(
  { label, tableLabel, heads }: Bars,
  days: readonly DayCount[],
  language: ConsoleLanguage,
): Markup {
  const highest = Math.max(1, ...days.map(({ count }) => count))
  const format = ({ count, text }: DayCount) => text ?? formatCount(count, language)
  const renderBar = (day: DayCount, index: number) => {
    const { at, count } = day
    // A day with one of thousands is still seen.
    const tall = count === 0 ? 0 : Math.max(2, Math.round((count / highest) * height))
    return html`<rect x="${index * step}" y="${height - tall}" width="${barWidth}" height="${tall}" rx="2"><title>${at}: ${format(day)}</title></rect>`
  }
  const columns = [
    { head: heads[0], cell: ({ at }: DayCount) => at },
    { head: heads[1], cell: format, isNumber: true as const },
  ]
  return html`<figure class="chart"><figcaption>${label}</figcaption>
<svg viewBox="0 0 ${days.length * step} ${height + 1}" width="100%" aria-hidden="true" focusable="false">
<rect class="track" x="0" y="${height}" width="${days.length * step}" height="1"/>${days.map(renderBar)}</svg></figure>
<details><summary>${tableLabel}</summary>${renderTable(tableLabel, columns, days)}</details>`
}
