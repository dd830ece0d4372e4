import { join } from 'node:path'
import { request } from 'undici'
import { findFreePort } from '../../core/start/ports.ts'
import { platform } from '../support/platform.ts'
import { startSecondServer, type SecondServer } from '../support/network/second-server.ts'
import type { Vc } from '../core/certification/suites/signers.ts'

export interface VcApiAnswer {
  status: number
  type: string
  body: Vc & { problemDetails?: Vc[]; checks?: Vc[]; proof?: Vc }
}

/** A door of the product for outside test suites, in a process of its own. */
export interface VcApi {
  server: SecondServer
  get(path: string): Promise<VcApiAnswer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<VcApiAnswer>
  /** Issues, and fails where that is refused. */
  issued(credential: unknown, path?: string): Promise<Vc>
  close(): Promise<void>
}

/** Opens a door beside the shared platform: under its address, so that either knows what the other issued. */
export async function startVcApi(env: NodeJS.ProcessEnv = {}): Promise<VcApi> {
  const port = await findFreePort()
  const server = await startSecondServer(
    platform,
    { BASE_URL: platform.api, VC_API_TEST_PORT: String(port), ...env },
    { entry: join(import.meta.dirname, 'door.ts') },
  )
  const send = async (
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<VcApiAnswer> => {
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    })
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type']),
      body: (await answer.body.json()) as VcApiAnswer['body'],
    }
  }
  return {
    server,
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, body, headers),
    async issued(credential, path = '/credentials/issue') {
      const { status, body } = await send('POST', path, { credential })
      if (status !== 201) throw new Error(`It was not issued: ${status} ${JSON.stringify(body)}`)
      return body
    },
    async close() {
      server.kill()
      await server.ended
    },
  }
}
