import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface BridgeFigures {
  command: string
  connections: number
  cells: { ask: string; rival: string; perSecond: number; p50: number; p99: number; processor: number }[]
}
interface InspectorFigures {
  command: string
  version: string
  rows: { era: string; calls: number; same: number }[]
}

const formatMilliseconds = (value: number) => `${Number(value.toPrecision(3))} ms`

/** The writers of the bridge's figures, by the name of their file. */
export const bridgeWriters: Record<string, (text: string) => string> = {
  bridges: (text) => {
    const { command, connections, cells } = JSON.parse(text) as BridgeFigures
    return `### The bridge beside others, ${connections} connections

${formatSource(command)} All stand before one and the same bare API, each on the same processor, in the same run. Servers made with the SDKs'
low-level classes pass calls on without checking anything. \`openapi-mcp-server\` is \`@ivotoby/openapi-mcp-server\`; it answers calls on
the stream of its session and reads no resources.\n\n${formatTable(
      ['Asked', 'Of', 'Answers a second', 'p50', 'p99', 'Processor an answer'],
      cells.map((one) => [
        one.ask,
        one.rival,
        formatNumber(Math.round(one.perSecond)),
        formatMilliseconds(one.p50),
        formatMilliseconds(one.p99),
        formatMilliseconds(one.processor),
      ]),
    )}`
  },
  inspector: (text) => {
    const { command, version, rows } = JSON.parse(text) as InspectorFigures
    return `### The MCP Inspector's command line, ${version}

${formatSource(command)} The same script as for the clients of both SDKs.\n\n${formatTable(
      ['Era', 'Calls', "Same results as the SDKs' clients"],
      rows.map((one) => [one.era, one.calls, one.same]),
    )}`
  },
}
