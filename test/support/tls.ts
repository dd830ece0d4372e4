import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'

/** A certificate and its private key, PEM. */
export interface Pair { cert: string; key: string }

const recent = { algorithm: 'sha256', keyType: 'ec', curve: 'P-256' } as const

/** A certificate authority that nobody knows. */
export async function authority(): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: 'Authority of tests' }], {
    ...recent,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { cert: made.cert, key: made.private }
}

/** A certificate for these names. @param days until it ends; negative: it ended as long ago */
export async function certificateFor(ca: Pair, names: readonly string[], days = 1): Promise<Pair> {
  const day = 24 * 60 * 60 * 1000
  const made = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
    ...recent,
    ca,
    notBeforeDate: new Date(Date.now() - 10 * day),
    notAfterDate: new Date(Date.now() + days * day),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) },
    ],
  })
  return { cert: made.cert, key: made.private }
}

export interface SecureServer { port: number; server: Server; stop(): Promise<void> }

/** An https server on a free port of loopback. */
export async function serveSecurely(pair: Pair, listener: RequestListener): Promise<SecureServer> {
  const server = createServer(pair, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    server,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
