import { once } from 'node:events'
import type { Server } from 'node:net'
import { StartError } from './process.ts'

/** Describes in a sentence why a server cannot listen. @param portName name of the variable that has the port */
export function describeListenError(
  portName: string,
  port: number,
  host: string,
  cause: NodeJS.ErrnoException,
): string {
  const reasons: Record<string, string> = {
    EADDRINUSE: `${portName} ${port} is taken on ${host}; stop what listens there or set ${portName} to another port`,
    EACCES: `${portName} ${port} may not be used by this user; set ${portName} to 1024 or more`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
    ENOTFOUND: `HOST ${host} is not known`,
  }
  return reasons[cause.code ?? ''] ?? `${portName} ${port} cannot be used on ${host}: ${cause.message}`
}

/** Starts to listen. @param portName name of the variable that has the port @throws StartError with a sentence */
export async function startListening(server: Server, portName: string, port: number, host: string): Promise<void> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    throw new StartError([describeListenError(portName, port, host, cause as NodeJS.ErrnoException)])
  }
}
