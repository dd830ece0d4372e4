import { from, number, table } from './figures.words.ts'

interface Bridges {
  command: string
  connections: number
  cells: { ask: string; rival: string; perSecond: number; p50: number; p99: number; processor: number }[]
}
interface Inspector { command: string; version: string; rows: { era: string; calls: number; same: number }[] }

const milliseconds = (value: number) => `${Number(value.toPrecision(3))} ms`

/** How the figures of the bridge are shown, by the name of their file. */
export const bridgeWriters: Record<string, (text: string) => string> = {
  bridges: (text) => {
    const { command, connections, cells } = JSON.parse(text) as Bridges
    return `### The bridge beside others, ${connections} connections

${from(command)} All stand before one and the same bare API, each on the same processor, in the same run. Servers made with the SDKs'
low-level classes pass calls on without checking anything. \`openapi-mcp-server\` is \`@ivotoby/openapi-mcp-server\`; it answers calls on
the stream of its session and reads no resources.\n\n${table(
  ['Asked', 'Of', 'Answers a second', 'p50', 'p99', 'Processor an answer'],
  cells.map((one) => [
    one.ask, one.rival, number(Math.round(one.perSecond)), milliseconds(one.p50), milliseconds(one.p99), milliseconds(one.processor),
  ]))}`
  },
  inspector: (text) => {
    const { command, version, rows } = JSON.parse(text) as Inspector
    return `### The MCP Inspector's command line, ${version}

${from(command)} The same script as for the clients of both SDKs.\n\n${table(
  ['Era', 'Calls', 'Same results as the SDKs\' clients'], rows.map((one) => [one.era, one.calls, one.same]))}`
  },
}
