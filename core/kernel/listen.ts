import { once } from 'node:events'
import type { Server } from 'node:net'
import { StartError } from './process.ts'

/** Tells in a sentence why a server cannot listen. @param name of the variable that has the port */
export function listenReason(name: string, port: number, host: string, cause: NodeJS.ErrnoException): string {
  const reasons: Record<string, string> = {
    EADDRINUSE: `${name} ${port} is taken on ${host}; stop what listens there or set ${name} to another port`,
    EACCES: `${name} ${port} may not be used by this user; set ${name} to 1024 or more`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
    ENOTFOUND: `HOST ${host} is not known`,
  }
  return reasons[cause.code ?? ''] ?? `${name} ${port} cannot be used on ${host}: ${cause.message}`
}

/** Listens with the server. @param name of the variable that has the port @throws StartError in a sentence */
export async function listenOn(server: Server, name: string, port: number, host: string): Promise<void> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    throw new StartError([listenReason(name, port, host, cause as NodeJS.ErrnoException)])
  }
}
