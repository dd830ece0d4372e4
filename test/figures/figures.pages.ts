import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface PageFigures {
  command: string
  latency: number
  kilobits: number
  rounds: number
  figures: {
    look: 'first' | 'again'
    requests: number
    bytes: number
    secondsToFirstPaint: { p50: number; max: number }
  }[]
}

const lookLabels = { first: 'The first time', again: 'Again, when nothing has changed' }

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
}
