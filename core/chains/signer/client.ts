import { Agent, request as plain, type RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as secure } from 'node:https'
import type { SigningFamily } from './keys.ts'

/** Where the signer is: a unix socket on this machine, or an https address. */
export interface SignerAddress {
  signerSocket?: string | undefined
  signerUrl?: string | undefined
  signerSecret?: string | undefined
}

/** The signer does not answer; asking again is safe. */
export class SignerUnreachable extends Error {
  override name = 'SignerUnreachable'
}

/** The signer refused for good, as with an unknown account (404) or other content under a used operation id (409). */
export class SignerRefused extends Error {
  override name = 'SignerRefused'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface SendingAccount { account: string; address: string }

/** The signer, seen from the processes that may not read its keys. Every call may be repeated. */
export interface Signer {
  ensureKey(account: string, family: SigningFamily): Promise<string>
  sign(operation: string, account: string, family: SigningFamily, bytes: Uint8Array): Promise<Uint8Array>
  senders(network: string): Promise<SendingAccount[]>
  close(): void
}

/** Milliseconds that an answer may take. */
const patience = 10_000

export function signerAt({ signerSocket, signerUrl, signerSecret }: SignerAddress): Signer {
  const options = { keepAlive: true, maxSockets: 16 }
  const agent = signerUrl === undefined ? new Agent(options) : new TlsAgent(options)
  const ask = async <T>(path: string, body: Record<string, string>): Promise<T> => {
    if (signerSecret === undefined || (signerSocket ?? signerUrl) === undefined) {
      throw new SignerUnreachable('no signer is configured')
    }
    const at = signerUrl === undefined ? { socketPath: signerSocket } : addressOf(signerUrl)
    const { status, text } = await post({ ...at, path, agent, secret: signerSecret }, JSON.stringify(body))
    if (status === 200) return JSON.parse(text) as T
    if (status >= 500) throw new SignerUnreachable(`the signer answered ${status}`)
    throw new SignerRefused(status, (JSON.parse(text) as { error: string }).error)
  }
  return {
    ensureKey: async (account, family) => (await ask<{ address: string }>('/ensure-key', { account, family })).address,
    async sign(operation, account, family, bytes) {
      const body = { operation, account, family, bytes: Buffer.from(bytes).toString('base64') }
      return Buffer.from((await ask<{ signature: string }>('/sign', body)).signature, 'base64')
    },
    senders: async (network) => (await ask<{ senders: SendingAccount[] }>('/senders', { network })).senders,
    close: () => agent.destroy(),
  }
}

function addressOf(url: string) {
  const { hostname, port } = new URL(url)
  return { protocol: 'https:', hostname, port: port || 443 }
}

function post({ secret, ...options }: RequestOptions & { secret: string }, body: string) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const fail = (cause: Error) => reject(new SignerUnreachable('the signer does not answer', { cause }))
    const headers = {
      authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body),
    }
    const request = options.protocol === 'https:' ? secure : plain
    const outgoing = request({ ...options, method: 'POST', headers, timeout: patience }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part)).once('error', fail)
      response.once('end', () => resolve({ status: response.statusCode ?? 500, text: Buffer.concat(parts).toString() }))
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('time is up'))).once('error', fail)
    outgoing.end(body)
  })
}
