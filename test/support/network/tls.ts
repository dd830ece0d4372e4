import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'

/** A certificate and its private key in PEM. */
export interface CertificateAndKey {
  cert: string
  key: string
}

const keyAlgorithm = { algorithm: 'sha256', keyType: 'ec', curve: 'P-256' } as const

/** Creates a certificate authority that nobody trusts. */
export async function createAuthority(): Promise<CertificateAndKey> {
  const generated = await generate([{ name: 'commonName', value: 'Authority of tests' }], {
    ...keyAlgorithm,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { cert: generated.cert, key: generated.private }
}

/**
 * Creates a certificate for the names.
 * @param validDays the days until it expires; negative if it has already expired
 */
export async function createCertificate(
  ca: CertificateAndKey,
  names: readonly string[],
  validDays = 1,
): Promise<CertificateAndKey> {
  const day = 24 * 60 * 60 * 1000
  const issuedCertificate = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
    ...keyAlgorithm,
    ca,
    notBeforeDate: new Date(Date.now() - 10 * day),
    notAfterDate: new Date(Date.now() + validDays * day),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) },
    ],
  })
  return { cert: issuedCertificate.cert, key: issuedCertificate.private }
}

export interface SecureServer {
  port: number
  server: Server
  stop(): Promise<void>
}

/** Starts an HTTPS server on a free port of loopback. */
export async function startSecureServer(pair: CertificateAndKey, listener: RequestListener): Promise<SecureServer> {
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
