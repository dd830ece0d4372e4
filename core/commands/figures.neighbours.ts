import { from, number, table } from './figures.words.ts'

interface Measured { p50: number; p99: number; samples: number }

interface Neighbours {
  command: string
  processors: number
  bound: { times: number; milliseconds: number }
  alone: Record<string, Measured>
  floods: { flood: string; load: string; answers: Record<string, number>; probes: (Measured & { probe: string; limit: number })[] }[]
}

/** Writes what an organization's noisy neighbour costs it. */
export const neighbourWriters: Record<string, (text: string) => string> = {
  'noisy-neighbour': (text) => {
    const { command, processors, bound, alone, floods } = JSON.parse(text) as Neighbours
    return `### An organization beside a noisy neighbour, on ${processors} processors\n\n${from(command)} Milliseconds, p50 / p99. Each of its requests goes over a
connection of its own; mint and claim are from the request until the job has completed. The limit is ${bound.times} × p99 alone + ${bound.milliseconds} ms.\n\n${table(
      ['Beside', 'What', 'Alone', 'Beside it', 'Samples', 'Limit', '', 'Answers to the neighbour', 'Load average'],
      floods.flatMap(({ flood, load, answers, probes }) => probes.map(({ probe, p50, p99, samples, limit }) => [
        flood, probe, `${alone[probe]?.p50} / ${alone[probe]?.p99}`, `${p50} / ${p99}`, samples, limit, p99 <= limit ? 'good' : 'MISSED',
        Object.entries(answers).map(([status, times]) => `${status}: ${number(times)}`).join(', '), load,
      ])))}`
  },
}
