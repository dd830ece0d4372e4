import { Agent, request as plain, type RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as secure } from 'node:https'
import type { SignedTransaction } from '../family.ts'
import type { Intent } from './intents.ts'
import type { NetworkFamily } from '../networks.ts'

/** The address of the signer: a unix socket on this machine, or an https address. */
export interface SignerAddress {
  signerSocket?: string | undefined
  signerUrl?: string | undefined
  signerSecret?: string | undefined
}

/** Thrown when the signer does not answer. A retry is safe. */
export class SignerUnreachableError extends Error {
  override name = 'SignerUnreachableError'
}

/**
 * Thrown when the signer refuses: the wallet is unknown (404), the operation id was used with another intent (409), or
 * the request is not allowed (403).
 */
export class SignerRefusedError extends Error {
  override name = 'SignerRefusedError'
  readonly status: number
  readonly code: string
  /**
   * For code SIGNED_BEFORE: nonce of the wallet that has to be used up first; null: another wallet's nonce; undefined:
   * retry.
   */
  readonly nonce: number | null | undefined
  constructor(status: number, code: string, message: string, nonce?: number | null) {
    super(message)
    this.status = status
    this.code = code
    this.nonce = nonce
  }
}

export interface SendingWallet {
  account: string
  address: string
}

/** The signer, for processes that may not read its keys. Every call may be repeated. */
export interface Signer {
  ensureKey(account: string, family: NetworkFamily): Promise<string>
  /** Erases the key of an account's wallet for ever. */
  eraseKey(account: string, family: NetworkFamily): Promise<{ erased: boolean }>
  /** Has the transaction of an intent signed. */
  signIntent(operation: string, intent: Intent): Promise<SignedTransaction>
  /** Reads the wallets that send a network's transactions, and the owner of the contracts that they deploy. */
  readSenders(network: string): Promise<{ senders: SendingWallet[]; owner: string | null }>
  /** Reseals those of the signer's keys that are not sealed with its present sealing key. */
  resealKeys(): Promise<{ resealed: number }>
  close(): void
}

const answerTimeoutMs = 10_000

export function createSignerClient({ signerSocket, signerUrl, signerSecret }: SignerAddress): Signer {
  const options = { keepAlive: true, maxSockets: 16 }
  const agent = signerUrl === undefined ? new Agent(options) : new TlsAgent(options)
  const postRequest = async <T>(path: string, body: object): Promise<T> => {
    if (signerSecret === undefined || (signerSocket ?? signerUrl) === undefined) {
      throw new SignerUnreachableError('no signer is configured')
    }
    const endpoint = signerUrl === undefined ? { socketPath: signerSocket } : parseSignerUrl(signerUrl)
    const { status, text } = await postJson({ ...endpoint, path, agent, secret: signerSecret }, JSON.stringify(body))
    if (status === 200) return JSON.parse(text) as T
    if (status >= 500) throw new SignerUnreachableError(`the signer answered ${status}`)
    const { code, error, nonce } = JSON.parse(text) as { code: string; error: string; nonce?: number | null }
    throw new SignerRefusedError(status, code, error, nonce)
  }
  return {
    ensureKey: async (account, family) =>
      (await postRequest<{ address: string }>('/ensure-key', { account, family })).address,
    eraseKey: (account, family) => postRequest<{ erased: boolean }>('/erase-key', { account, family }),
    async signIntent(operation, intent) {
      const { hash, raw } = await postRequest<{ hash: string; raw: string }>('/sign', { operation, intent })
      return { hash, raw: Buffer.from(raw, 'base64') }
    },
    readSenders: (network) => postRequest('/senders', { network }),
    resealKeys: () => postRequest('/reseal', {}),
    close: () => agent.destroy(),
  }
}

function parseSignerUrl(url: string) {
  const { hostname, port } = new URL(url)
  return { protocol: 'https:', hostname, port: port || 443 }
}

function postJson({ secret, ...options }: RequestOptions & { secret: string }, body: string) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const fail = (cause: Error) => reject(new SignerUnreachableError('the signer does not answer', { cause }))
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const request = options.protocol === 'https:' ? secure : plain
    const outgoing = request({ ...options, method: 'POST', headers, timeout: answerTimeoutMs }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part)).once('error', fail)
      response.once('end', () => resolve({ status: response.statusCode ?? 500, text: Buffer.concat(parts).toString() }))
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('time is up'))).once('error', fail)
    outgoing.end(body)
  })
}
