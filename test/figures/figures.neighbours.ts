import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface LatencyMeasurement {
  p50: number
  p99: number
  samples: number
}

interface NeighbourFigures {
  command: string
  processors: number
  bound: { times: number; milliseconds: number }
  alone: Record<string, LatencyMeasurement>
  floods: {
    flood: string
    load: string
    answers: Record<string, number>
    probes: (LatencyMeasurement & { probe: string; limit: number })[]
  }[]
}

interface PermissionFigures {
  command: string
  pairs: number
  operations: number
  credentials: number
  requests: number
  surprises: number
}

/** The writers of figures that show what keeps organizations apart, by the name of their file. */
export const neighbourWriters: Record<string, (text: string) => string> = {
  'noisy-neighbour': (text) => {
    const { command, processors, bound, alone, floods } = JSON.parse(text) as NeighbourFigures
    return `### An organization beside a noisy neighbour, on ${processors} processors\n\n${formatSource(command)} Milliseconds, p50 / p99. Each of its requests goes over a
connection of its own; mint and claim are from the request until the job has completed. The limit is ${bound.times} × p99 alone + ${bound.milliseconds} ms.\n\n${formatTable(
      ['Beside', 'What', 'Alone', 'Beside it', 'Samples', 'Limit', '', 'Answers to the neighbour', 'Load average'],
      floods.flatMap(({ flood, load, answers, probes }) =>
        probes.map(({ probe, p50, p99, samples, limit }) => [
          flood,
          probe,
          `${alone[probe]?.p50} / ${alone[probe]?.p99}`,
          `${p50} / ${p99}`,
          samples,
          limit,
          p99 <= limit ? 'good' : 'MISSED',
          Object.entries(answers)
            .map(([status, times]) => `${status}: ${formatNumber(times)}`)
            .join(', '),
          load,
        ]),
      ),
    )}`
  },
  permissions: (text) => {
    const { command, pairs, operations, credentials, requests, surprises } = JSON.parse(text) as PermissionFigures
    return `### Who may call what\n\n${formatSource(command)} Every operation of the document, asked by a key of each pair of resource and action, a member
of each role, members of several organizations or of none, keys that are expired, revoked, rotated, malformed or of another
organization, a buyer, and nobody. A surprise is an answer that the document and the printed role grid do not foresee.\n\n${formatTable(
      ['Pairs', 'Operations', 'Credentials', 'Requests', 'Surprises'],
      [[pairs, operations, credentials, formatNumber(requests), surprises]],
    )}`
  },
}
