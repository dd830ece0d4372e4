import { createHash, timingSafeEqual } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Logger } from 'pino'
import { networkNames } from '../networks.ts'
import { findSigningFamily, isSigningFamily, signingFamilies, type SigningFamily } from './keys.ts'
import { parseIntent } from './intents.ts'
import { SigningRefusedError } from './refusal.ts'
import type { Vault } from './vault.ts'

export interface SignerServerOptions {
  socket: string
  secret: string
  vault: Vault
  log: Logger
}

/** Maximum size of a request, in bytes: several times the size of the largest batch. */
const maxBodyBytes = 512 * 1024

/**
 * Serves the vault on a unix socket that only this user may open. Every request carries the shared secret as a bearer
 * token. A signer on another machine is reached through a TLS endpoint in front of its socket.
 */
export async function serveSigner({ socket, secret, vault, log }: SignerServerOptions): Promise<Server> {
  await removeDeadSocket(socket)
  const expected = createDigest(`Bearer ${secret}`)
  const server = createServer((request, response) => {
    const isAuthorized = timingSafeEqual(createDigest(request.headers.authorization ?? ''), expected)
    const answer = isAuthorized
      ? handleRequest(vault, request)
      : Promise.reject(new SigningRefusedError(401, 'UNAUTHORIZED', 'The secret is missing or wrong.'))
    answer.then(
      (body) => sendResponse(response, 200, body),
      (cause: unknown) => {
        if (!(cause instanceof SigningRefusedError)) {
          log.error({ err: cause, path: request.url }, 'the signer could not answer')
          return sendResponse(response, 500, { error: 'The signer could not answer.' })
        }
        log.warn({ path: request.url, code: cause.code, reason: cause.message }, 'the signer refused a request')
        sendResponse(response, cause.status, { code: cause.code, error: cause.message, nonce: cause.nonce })
      },
    )
  })
  server.requestTimeout = 10_000
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  } finally {
    process.umask(before)
  }
  chmodSync(socket, 0o600)
  return server
}

async function handleRequest(vault: Vault, request: IncomingMessage): Promise<object> {
  if (request.method !== 'POST') throw new SigningRefusedError(405, 'METHOD', 'Only POST is served.')
  const body = await readBody(request)
  switch (request.url) {
    case '/ensure-key':
      return { address: await vault.ensureKey(getText(body, 'account'), getSigningFamily(body)) }
    case '/erase-key':
      return vault.eraseKey(getText(body, 'account'), getSigningFamily(body))
    case '/sign': {
      const { hash, raw } = await vault.signIntent(getText(body, 'operation'), parseIntent(body['intent']))
      return { hash, raw: Buffer.from(raw).toString('base64') }
    }
    case '/reseal':
      return { resealed: await vault.resealKeys() }
    case '/senders':
      return vault.listSenders(getNetwork(body))
    default:
      throw new SigningRefusedError(404, 'PATH', 'There is no such path.')
  }
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size <= maxBodyBytes) parts.push(part)
  }
  // The request is read to its end first: closing the connection while the caller still writes would lose the refusal.
  if (size > maxBodyBytes) throw new SigningRefusedError(413, 'TOO_LARGE', 'The request is too large.')
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString())
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>
  } catch {
    throw new SigningRefusedError(400, 'MALFORMED', 'The request is not JSON.')
  }
  throw new SigningRefusedError(400, 'MALFORMED', 'The request is not a JSON object.')
}

function getText(body: Record<string, unknown>, name: string, maxLength = 200): string {
  const value = body[name]
  if (typeof value === 'string' && value.length > 0 && value.length <= maxLength) return value
  throw new SigningRefusedError(400, 'MALFORMED', `${name} must be a text of 1 to ${maxLength} characters.`)
}

function getSigningFamily(body: Record<string, unknown>): SigningFamily {
  const { family } = body
  if (isSigningFamily(family)) return family
  throw new SigningRefusedError(400, 'MALFORMED', `family must be one of ${signingFamilies.join(', ')}.`)
}

/** Reads the network of a request. Only known networks have senders, because each name would create a key. */
function getNetwork(body: Record<string, unknown>): string {
  const name = networkNames.find((known) => known === body['network'] && findSigningFamily(known) !== undefined)
  if (name !== undefined) return name
  throw new SigningRefusedError(403, 'NETWORK', 'There is no such network here.')
}

function sendResponse(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const createDigest = (value: string) => createHash('sha256').update(value).digest()

/** Removes the socket file that a killed signer left behind. @throws Error if another signer serves the socket */
async function removeDeadSocket(socket: string): Promise<void> {
  const served = await new Promise<boolean>((resolve) => {
    const probe = connect(socket, () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
  if (served) throw new Error('another signer serves this socket')
  rmSync(socket, { force: true })
}
