import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import getPort from 'get-port'
import { describeListenError } from '../kernel/process/listen.ts'
import { StartError } from '../kernel/process/process.ts'

/**
 * Checks that every port is given only once and that nobody listens on it yet.
 * @param ports ports by the name of their variable; undefined if the variable is not set
 * @throws StartError with all reasons at once
 */
export async function assertPortsFree(
  host: string,
  ports: Readonly<Record<string, number | undefined>>,
): Promise<void> {
  const namedPorts = Object.entries(ports).flatMap(([name, port]) => (port === undefined ? [] : [{ name, port }]))
  const duplicates = namedPorts.flatMap((first, at) =>
    namedPorts
      .slice(at + 1)
      .filter(({ port }) => port === first.port)
      .map((second) => `${first.name} and ${second.name} are both ${first.port}; give each a port of its own`),
  )
  if (duplicates.length > 0) throw new StartError(duplicates)
  const reasons: string[] = []
  for (const { name, port } of namedPorts) {
    const error = await findListenError(port, host)
    if (error !== null) reasons.push(describeListenError(name, port, host, error))
  }
  if (reasons.length > 0) throw new StartError([...new Set(reasons)])
}

/** Listens on a port for a moment. @returns the error, or null if listening is possible */
async function findListenError(port: number, host: string): Promise<NodeJS.ErrnoException | null> {
  return await new Promise((resolve) => {
    const trial = createServer()
    trial.once('error', resolve)
    trial.listen({ port, host, exclusive: true }, () => trial.close(() => resolve(null)))
  })
}

/** The range of ports that no system assigns to connections. Source: RFC 6335, section 6; Linux begins at 32,768. */
const fixedPorts = { from: 10_000, to: 32_768 }
/** How many ports of the range are tried. */
const maxTries = 50

/**
 * Finds a port of this machine on which nobody listens. A port that the system assigns to connections is not used,
 * because any new connection could take the port before its owner listens on it.
 */
export function findFreePort(): Promise<number> {
  const port = Array.from({ length: maxTries }, () => randomInt(fixedPorts.from, fixedPorts.to))
  return getPort({ host: '127.0.0.1', port })
}
