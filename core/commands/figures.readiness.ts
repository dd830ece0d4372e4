import { from, number, table } from './figures.words.ts'

interface Measured { what: string; requests: number; milliseconds: { p50: number; p95: number; max: number } }
interface Readiness {
  command: string
  processors: number
  measured: Measured[]
  mutations: { what: string; made: number; named: number; agreed: number | null }[]
}

/** How the figures of readiness are shown, by the name of their file. */
export const readinessWriters: Record<string, (text: string) => string> = {
  readiness: (text) => {
    const { command, processors, measured, mutations } = JSON.parse(text) as Readiness
    return `### Readiness of passports, on ${processors} processors\n\n${from(command)} One request after the other; the product has every part that UNTP has.
Right is a mutation whose errors name the place that was touched and no other.\n\n${table(['What', 'Requests', 'Answer after p50 / p95 / max'], measured.map((one) =>
      [one.what, number(one.requests), `${one.milliseconds.p50} / ${one.milliseconds.p95} / ${one.milliseconds.max} ms`]))}\n\n${table(
      ['Wrong in one place', 'Made', 'Right', 'As a JSON Schema validator of its own says'],
      mutations.map((one) => [one.what, number(one.made), number(one.named), one.agreed === null ? '' : number(one.agreed)]))}`
  },
}
