import { isRecord } from '../../../tools/openapi.ts'
import { sendProblem, sendReply, type FixtureApi } from '../../support/bridge/bridge-fixture.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const widget = '7c0f5a3e-1b1b-4b8e-9b6a-0a2f0c6f4c11'

/** One call of the script that every client goes through. */
export interface ScriptedCall {
  readonly name: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** @param api address of an API that `prepareTwelveAnswers` prepared */
export const createTwelveCalls = (api: string): readonly ScriptedCall[] => [
  { name: 'tools', method: 'tools/list', params: {} },
  { name: 'resources', method: 'resources/list', params: {} },
  { name: 'templates', method: 'resources/templates/list', params: {} },
  { name: 'prompts', method: 'prompts/list', params: {} },
  { name: 'a good call', method: 'tools/call', params: { name: 'echo', arguments: { value: 'ä' } } },
  { name: 'wrong arguments', method: 'tools/call', params: { name: 'echo', arguments: { value: 7 } } },
  { name: 'a refusal', method: 'tools/call', params: { name: 'refuse', arguments: { as: 'taken' } } },
  { name: 'an image', method: 'tools/call', params: { name: 'draw', arguments: {} } },
  {
    name: 'a job',
    method: 'tools/call',
    params: { name: 'mint_widget', arguments: { id: widget, items: [{ serial: '1' }] } },
  },
  { name: 'text', method: 'resources/read', params: { uri: `${api}/v1/widgets/x` } },
  { name: 'bytes', method: 'resources/read', params: { uri: `${api}/v1/widgets/x/image` } },
  {
    name: 'a prompt',
    method: 'prompts/get',
    params: { name: 'prepare_demo_environment', arguments: { scenario: 'passport', runId: 'r1' } },
  },
]

export function prepareTwelveAnswers(api: FixtureApi): void {
  api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { value: 'ä', list: [1, { a: null }] }))
  api.setHandler('POST /v1/refuse', (_, response) =>
    sendProblem(response, 409, { code: 'TAKEN', detail: 'It is taken.' }),
  )
  api.setHandler('POST /v1/draw', (_, response) => sendReply(response, 200, png, { 'content-type': 'image/png' }))
  api.setHandler(`POST /v1/widgets/${widget}/mint`, (_, response) =>
    sendReply(response, 202, { jobId: 'j1' }, { location: '/v1/jobs/j1' }),
  )
  api.setHandler('GET /v1/widgets/x', (_, response) => sendReply(response, 200, ' {"id": "x"}\n'))
  api.setHandler('GET /v1/widgets/x/image', (_, response) =>
    sendReply(response, 200, png, { 'content-type': 'image/png' }),
  )
}

/** What a client sees of a result in either era: without what only the newest revision says. */
export function toPlainResult(result: unknown): Record<string, unknown> {
  if (!isRecord(result)) throw new Error('It is no result')
  const { resultType: _, ttlMs: __, cacheScope: ___, _meta: meta, ...rest } = result
  const { 'io.modelcontextprotocol/serverInfo': ____, ...left } = isRecord(meta) ? meta : {}
  return Object.keys(left).length === 0 ? rest : { ...rest, _meta: left }
}
