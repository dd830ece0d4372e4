import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface ReadinessMeasurement {
  what: string
  requests: number
  milliseconds: { p50: number; p95: number; max: number }
}
interface ReadinessFigures {
  command: string
  processors: number
  measured: ReadinessMeasurement[]
  mutations: { what: string; made: number; named: number; agreed: number | null }[]
}

/** The writers of figures of readiness, by the name of their file. */
export const readinessWriters: Record<string, (text: string) => string> = {
  readiness: (text) => {
    const { command, processors, measured, mutations } = JSON.parse(text) as ReadinessFigures
    return `### Readiness of passports, on ${processors} processors\n\n${formatSource(command)} One request after the other; the product has every part that UNTP has.
A mutation counts as right if its errors name the place that was changed and no other.\n\n${formatTable(
      ['What', 'Requests', 'Answer after p50 / p95 / max'],
      measured.map((one) => [
        one.what,
        formatNumber(one.requests),
        `${one.milliseconds.p50} / ${one.milliseconds.p95} / ${one.milliseconds.max} ms`,
      ]),
    )}\n\n${formatTable(
      ['Wrong in one place', 'Made', 'Right', 'As a JSON Schema validator of its own says'],
      mutations.map((one) => [
        one.what,
        formatNumber(one.made),
        formatNumber(one.named),
        one.agreed === null ? '' : formatNumber(one.agreed),
      ]),
    )}`
  },
}
