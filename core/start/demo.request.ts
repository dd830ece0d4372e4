import type { DemoAccess } from './demo.ts'

type Method = 'GET' | 'POST' | 'PATCH'

export type ApiRequest = <T>(method: Method, path: string, body?: object) => Promise<T>

/** Creates a function that calls the API with the demo key. It throws an Error for an answer that is not a success. */
export function createApiRequest({ api, apiKey }: Pick<DemoAccess, 'api' | 'apiKey'>, signal: AbortSignal): ApiRequest {
  return async <T>(method: Method, path: string, body?: object) => {
    const answer = await fetch(`${api}${path}`, {
      method,
      signal,
      headers: { 'X-Api-Key': apiKey, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${text.slice(0, 500)}`)
    return JSON.parse(text) as T
  }
}
