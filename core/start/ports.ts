import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import getPort from 'get-port'
import { listenReason } from '../kernel/listen.ts'
import { StartError } from '../kernel/process.ts'

/**
 * Checks that every port is given once and that nobody listens on it yet. @param ports by the name of their variable;
 * undefined where none is set
 * @throws StartError with every reason at once
 */
export async function demandPorts(host: string, ports: Readonly<Record<string, number | undefined>>): Promise<void> {
  const given = Object.entries(ports).flatMap(([name, port]) => port === undefined ? [] : [{ name, port }])
  const twice = given.flatMap((first, at) => given.slice(at + 1).filter(({ port }) => port === first.port)
    .map((second) => `${first.name} and ${second.name} are both ${first.port}; give each a port of its own`))
  if (twice.length > 0) throw new StartError(twice)
  const reasons: string[] = []
  for (const { name, port } of given) {
    const error = await listenError(port, host)
    if (error !== null) reasons.push(listenReason(name, port, host, error))
  }
  if (reasons.length > 0) throw new StartError([...new Set(reasons)])
}

/** Listens for a moment. @returns why that is not possible, or null */
async function listenError(port: number, host: string): Promise<NodeJS.ErrnoException | null> {
  return await new Promise((resolve) => {
    const trial = createServer()
    trial.once('error', resolve)
    trial.listen({ port, host, exclusive: true }, () => trial.close(() => resolve(null)))
  })
}

/** Ports that no system gives to connections by itself. Source: RFC 6335, section 6; Linux begins at 32,768. */
const fixedPorts = { from: 10_000, to: 32_768 }
/** How many of them are tried. */
const tries = 50

/**
 * A port of this machine that nobody listens on. One that the system gives to connections could be taken by the next
 * connection of anyone before its owner listens on it.
 */
export function freePort(): Promise<number> {
  const port = Array.from({ length: tries }, () => randomInt(fixedPorts.from, fixedPorts.to))
  return getPort({ host: '127.0.0.1', port })
}
