import { from, number, table } from './figures.words.ts'

interface Page {
  command: string
  latency: number
  kilobits: number
  rounds: number
  figures: { look: 'first' | 'again'; requests: number; bytes: number; secondsToFirstPaint: { p50: number; max: number } }[]
}

const looks = { first: 'The first time', again: 'Again, when nothing has changed' }

/** How the figures of pages are shown, by the name of their file. */
export const pageWriters: Record<string, (text: string) => string> = {
  page: (text) => {
    const { command, latency, kilobits, rounds, figures } = JSON.parse(text) as Page
    return `### The public page of a certified passport on a slow network\n\n${from(command)} Chromium at ${latency} ms and ${kilobits} kbit/s, ${rounds} rounds; the certificate
is checked at each look.\n\n${table(['Look', 'Requests', 'Bytes received', 'First contentful paint p50 / max'], figures.map((one) =>
      [looks[one.look], one.requests, number(one.bytes), `${one.secondsToFirstPaint.p50} / ${one.secondsToFirstPaint.max} s`]))}`
  },
}
