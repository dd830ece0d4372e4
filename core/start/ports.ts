import { createServer } from 'node:net'
import getPort from 'get-port'
import { SettingsError } from '../settings.ts'

/** The port as it is, when nobody listens on it. Throws SettingsError with the variable's name when somebody does. */
export async function demandFree(name: string, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const trial = createServer()
    trial.once('error', (cause: NodeJS.ErrnoException) => reject(refusal(name, port, host, cause)))
    trial.listen({ port, host, exclusive: true }, () => trial.close(() => resolve()))
  })
  return port
}

function refusal(name: string, port: number, host: string, cause: NodeJS.ErrnoException): Error {
  const said = {
    EADDRINUSE: `${name} ${port} is taken on ${host}; stop what listens there or set ${name} to another port`,
    EACCES: `${name} ${port} may not be used by this user; set ${name} to 1024 or more`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
    ENOTFOUND: `HOST ${host} is not known`,
  }[cause.code ?? '']
  return said === undefined ? cause : new SettingsError(said)
}

export const freePort = () => getPort({ host: '127.0.0.1' })
