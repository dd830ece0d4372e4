import { randomBytes } from 'node:crypto'
import { request } from 'undici'
import { openPass, type OpenPass } from './pkpass.ts'

/** What a phone heard from the web service. */
export interface Heard {
  status: number
  bytes: Buffer
  headers: Record<string, string | string[] | undefined>
}

/** A pass in the wallet of a phone, with the date of its last answer. */
interface KeptPass {
  pass: OpenPass
  lastModified: string | undefined
}

/**
 * A phone with a wallet. It does what Wallet does, and nothing that is not in a pass or an answer.
 * Source: Apple, "Adding a Web Service to Update Passes".
 */
export class Device {
  readonly id = randomBytes(16).toString('hex')
  readonly pushToken = randomBytes(32).toString('hex')
  /** What the phone has shown, the newest last. */
  readonly notifications: string[] = []
  readonly #ca: string
  readonly #passes = new Map<string, KeptPass>()
  #tag: string | undefined

  /** @param ca the authority behind pass types, as PEM */
  constructor(ca: string) {
    this.#ca = ca
  }

  /** Returns the pass in the wallet. */
  get pass(): OpenPass {
    const [kept] = this.#passes.values()
    if (!kept) throw new Error('The wallet is empty')
    return kept.pass
  }

  /** Adds a file to the wallet, and registers for its updates. @throws PassRefusedError */
  async add(file: Buffer): Promise<Heard> {
    const pass = openPass(file, this.#ca)
    this.#passes.set(pass.serialNumber, { pass, lastModified: undefined })
    return this.register(pass)
  }

  register(pass = this.pass, token = pass.authenticationToken): Promise<Heard> {
    return this.#call(pass, 'POST', this.#getRegistration(pass), { token, body: { pushToken: this.pushToken } })
  }

  /** Removes the pass from the wallet. */
  async remove(pass = this.pass): Promise<Heard> {
    const heard = await this.#call(pass, 'DELETE', this.#getRegistration(pass), { token: pass.authenticationToken })
    this.#passes.delete(pass.serialNumber)
    return heard
  }

  /** Asks which passes have changed, as after a push. */
  async ask(pass = this.pass): Promise<{ status: number; serialNumbers: string[] }> {
    const { passTypeIdentifier } = pass
    const since = this.#tag === undefined ? '' : `?passesUpdatedSince=${encodeURIComponent(this.#tag)}`
    const path = `/v1/devices/${this.id}/registrations/${passTypeIdentifier}${since}`
    const { status, bytes } = await this.#call(pass, 'GET', path, {})
    if (status !== 200) return { status, serialNumbers: [] }
    const { serialNumbers, lastUpdated } = JSON.parse(bytes.toString()) as {
      serialNumbers: string[]
      lastUpdated: string
    }
    this.#tag = lastUpdated
    return { status, serialNumbers }
  }

  /** Fetches a pass, and notifies of what has changed in it. */
  async fetch(pass = this.pass, token = pass.authenticationToken): Promise<Heard> {
    const kept = this.#passes.get(pass.serialNumber)
    const since = kept?.lastModified
    const path = `/v1/passes/${pass.passTypeIdentifier}/${pass.serialNumber}`
    const heard = await this.#call(pass, 'GET', path, { token, ...(since !== undefined && { since }) })
    if (heard.status !== 200) return heard
    const next = openPass(heard.bytes, this.#ca)
    this.notifications.push(...listNotifications(pass, next))
    this.#passes.set(pass.serialNumber, { pass: next, lastModified: String(heard.headers['last-modified']) })
    return heard
  }

  /** Does what a push makes it do. @returns how many passes it got */
  async wake(): Promise<number> {
    const { serialNumbers } = await this.ask()
    let got = 0
    for (const serial of serialNumbers) {
      const kept = this.#passes.get(serial)
      if (kept && (await this.fetch(kept.pass)).status === 200) got++
    }
    return got
  }

  log(lines: unknown, pass = this.pass): Promise<Heard> {
    return this.#call(pass, 'POST', '/v1/log', { body: { logs: lines } })
  }

  #getRegistration({ passTypeIdentifier, serialNumber }: OpenPass): string {
    return `/v1/devices/${this.id}/registrations/${passTypeIdentifier}/${serialNumber}`
  }

  async #call(
    { webServiceURL }: OpenPass,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    { token, body, since }: { token?: string; body?: unknown; since?: string },
  ): Promise<Heard> {
    const answer = await request(`${webServiceURL}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `ApplePass ${token}` }),
        ...(since !== undefined && { 'if-modified-since': since }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      bytes: Buffer.from(await answer.body.arrayBuffer()),
    }
  }
}

/** Lists what a phone says of a new version: each field that has changed and has a message. */
function listNotifications(before: OpenPass, after: OpenPass): string[] {
  return [...after.fields.values()].flatMap(({ key, value, changeMessage }) => {
    const former = before.fields.get(key)
    if (changeMessage === undefined || former === undefined || former.value === value) return []
    return [changeMessage.replace('%@', String(value))]
  })
}
