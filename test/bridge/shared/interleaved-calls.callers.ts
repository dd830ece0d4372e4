import { Agent, request } from 'node:http'
import { startBareSession, defaultHeaders } from '../../support/bridge/bridge-client.ts'
import { createModernRequest } from '../../support/bridge/modern-client.ts'

export interface Message {
  id?: unknown
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: unknown
}

/** One caller: sends a call, answers what a person is asked, and tells everything that came back for it. */
export interface Caller {
  readonly key: string
  readonly session: string | null
  /** @param answer what the person says to a question */
  call(id: number, params: Record<string, unknown>, answer: (message: string) => object): Promise<Message[]>
}

/** Nothing of these reaches the API. */
const noise = {
  forwarded: 'for=6.6.6.6',
  'x-forwarded-for': '6.6.6.6',
  traceparent: '00-evil-evil-01',
  'idempotency-key': 'i',
  'accept-language': 'de',
  'user-agent': 'u',
}

const capabilities = { elicitation: { form: {} } }

/** Each caller has credentials of one kind, and speaks one of the eras. */
export async function connectCallers(url: string, count: number, agent: Agent): Promise<Caller[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const key = `key-${index}`
      const kinds = [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }, { cookie: `tessera.session=${key}` }]
      const credentials = { ...noise, ...(kinds[index % kinds.length] as Record<string, string>) }
      return index % 2 === 0 ? await inSession(url, agent, key, credentials) : onItsOwn(url, agent, key, credentials)
    }),
  )
}

async function inSession(url: string, agent: Agent, key: string, credentials: Record<string, string>): Promise<Caller> {
  const { headers: begun } = await startBareSession(url, '2025-11-25', credentials, capabilities)
  const headers: Record<string, string> = { ...defaultHeaders, ...begun }
  return {
    key,
    session: headers['mcp-session-id'] ?? null,
    call: async (id, params, answer) => {
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params }
      return await send(url, agent, headers, message, async (question) => {
        const result = answer(String(question.params?.['message']))
        await send(url, agent, headers, { jsonrpc: '2.0', id: question.id, result })
      })
    },
  }
}

function onItsOwn(url: string, agent: Agent, key: string, credentials: Record<string, string>): Caller {
  const once = async (id: number, { _meta: meta, ...params }: Record<string, unknown>) => {
    const { headers, message } = createModernRequest('tools/call', params, { id, capabilities, meta: meta as object })
    return await send(url, agent, { ...headers, ...credentials }, message)
  }
  return {
    key,
    session: null,
    call: async (id, params, answer) => {
      const came = await once(id, params)
      const { inputRequests, requestState } = came.at(-1)?.result ?? {}
      if (inputRequests === undefined) return came
      const questions = inputRequests as Record<string, { params: { message: string } }>
      const inputResponses = Object.fromEntries(
        Object.entries(questions).map(
          ([
            name,
            {
              params: { message },
            },
          ]) => [name, answer(message)],
        ),
      )
      return await once(id, { ...params, inputResponses, requestState })
    },
  }
}

/** Sends one message. @param ask told what comes with a method and an id. @returns everything that came */
async function send(
  url: string,
  agent: Agent,
  headers: Record<string, string>,
  message: unknown,
  ask: (question: Message) => Promise<void> = async () => undefined,
): Promise<Message[]> {
  return await new Promise((resolve, reject) => {
    const came: Message[] = []
    const take = (text: string) => {
      if (text === '') return
      const one = JSON.parse(text) as Message
      if (one.method !== undefined && one.id !== undefined) ask(one).catch(reject)
      else came.push(one)
    }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const streams = String(response.headers['content-type']).startsWith('text/event-stream')
      let rest = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        rest += chunk
        if (!streams) return
        const lines = rest.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) if (line.startsWith('data: ')) take(line.slice(6))
      })
      response.on('error', reject).on('end', () => {
        if (!streams) take(rest)
        resolve(came)
      })
    })
    sent.on('error', reject).end(JSON.stringify(message))
  })
}
