import { createHmac } from 'node:crypto'
import { createApiClient, type Answer, type Client } from '../client.ts'

/** Returns the signature of a body. */
export const sign = (body: string | Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Creates a client that signs each body as a POS does, whatever else it sends. */
export function signBodies(plain: Client, secret: string): Client {
  const send: Client['send'] = (method, path, body, options = {}) => {
    const raw = options.raw ?? (body === undefined ? '' : JSON.stringify(body))
    return plain.send(method, path, body, {
      ...options,
      headers: { 'x-signature': sign(raw, secret), ...options.headers },
    })
  }
  return { ...plain, send, post: (path, body, options) => send('POST', path, body, options) }
}

/** Sends a body as a POS does. @param url address, whole or only its path */
export async function sendSigned(base: string, url: string, body: object, secret: string): Promise<Answer> {
  const path = url.startsWith('/') ? url : new URL(url).pathname
  return signBodies(createApiClient({}, base), secret).post(path, body)
}
