import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface PageFigures {
  command: string
  latency: number
  kilobits: number
  rounds: number
  figures: {
    look: 'first' | 'again' | 'dressed'
    requests: number
    bytes: number
    secondsToFirstPaint: { p50: number; max: number }
  }[]
}

interface LighthouseFigures {
  command: string
  version: string
  looks: number
  leastScore: number
  rows: { page: string; scores: Record<string, number> }[]
}
interface ShopperFigures {
  command: string
  rows: { task: string; clicks: number; fields: number; pages: number; seconds: number }[]
}

const lookLabels = {
  first: 'The first time',
  again: 'Again, when nothing has changed',
  dressed: 'The first time, with a font of the brand and its pictures',
}

/** The writers of figures of pages, by the name of their file. */
export const pageWriters: Record<string, (text: string) => string> = {
  page: (text) => {
    const { command, latency, kilobits, rounds, figures } = JSON.parse(text) as PageFigures
    return `### The public page of a certified passport on a slow network\n\n${formatSource(command)} Chromium at ${latency} ms and ${kilobits} kbit/s, ${rounds} rounds; the certificate
is checked at each look.\n\n${formatTable(
      ['Look', 'Requests', 'Bytes received', 'First contentful paint p50 / max'],
      figures.map((one) => [
        lookLabels[one.look],
        one.requests,
        formatNumber(one.bytes),
        `${one.secondsToFirstPaint.p50} / ${one.secondsToFirstPaint.max} s`,
      ]),
    )}`
  },
  lighthouse: (text) => {
    const { command, version, looks, leastScore, rows } = JSON.parse(text) as LighthouseFigures
    return `### Lighthouse ${version} on the public page, on a throttled phone

${formatSource(command)} The best of ${looks} looks; at least ${leastScore} of 100 is demanded of each.\n\n${formatTable(
      ['Page', 'Performance', 'Accessibility', 'Best practices', 'SEO'],
      rows.map(({ page, scores }) => [
        page,
        ...['performance', 'accessibility', 'best-practices', 'seo'].map((category) => scores[category] ?? '–'),
      ]),
    )}`
  },
  shoppers: (text) => {
    const { command, rows } = JSON.parse(text) as ShopperFigures
    return `### What shoppers come for, from the QR code on a bag

${formatSource(command)} Clicks, filled fields and opened pages of a first visit on a phone; the seconds are those of a program that
waits for each page, so they say how long the pages take and not how long a person thinks.\n\n${formatTable(
      ['Task', 'Clicks', 'Fields', 'Pages', 'Seconds'],
      rows.map(({ task, clicks, fields, pages, seconds }) => [task, clicks, fields, pages, seconds]),
    )}`
  },
}
