import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerResponse } from 'node:http'
import {
  FixtureApi,
  parseRecordedBody,
  sendProblem,
  sendReply,
  type RecordedRequest,
} from '../../support/bridge/bridge-fixture.ts'
import { conformanceDocument, getPromptPath, getToolPath } from './document.ts'

/** One red pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
)

/** Eight samples of silence: a header of 44 bytes and the samples. Source: RIFF WAVE, PCM of 8 bits at 8 kHz. */
function wav(): Buffer {
  const samples = Buffer.alloc(8, 128)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

const boundary = 'part-of-what-is-mixed'
const mixed = Buffer.concat([
  Buffer.from(`--${boundary}\r\nContent-Type: text/plain\r\n\r\nMultiple content types test:\r\n`),
  Buffer.from(`--${boundary}\r\nContent-Type: image/png\r\n\r\n`),
  png,
  Buffer.from(`\r\n--${boundary}\r\nContent-Type: application/octet-stream\r\n\r\n{"test":"data","value":123}\r\n`),
  Buffer.from(`--${boundary}--\r\n`),
])

/** The fixture of the conformance suite: it answers every operation of its document. */
export function createConformanceApi(): FixtureApi {
  const api = new FixtureApi()
  api.document = conformanceDocument
  answerTools(api)
  answerJobs(api)
  answerPrompts(api)
  sends(api, 'GET /static-text', 'text/plain', 'This is the content of the static text resource.')
  sends(api, 'GET /static-binary', 'image/png', png)
  api.setHandler('GET /template/123/data', (_, response) =>
    sendReply(response, 200, { id: '123', templateTest: true, data: 'Data for ID: 123' }),
  )
  return api
}

const sends = (api: FixtureApi, route: string, mediaType: string, body: string | Buffer) =>
  api.setHandler(route, (_, response) => sendReply(response, 200, body, { 'content-type': mediaType }))

function answerTools(api: FixtureApi): void {
  const tool = (name: string, mediaType: string, body: string | Buffer) =>
    sends(api, `POST ${getToolPath(name)}`, mediaType, body)
  const says = (name: string, words: (body: Record<string, unknown>) => string) =>
    api.setHandler(`POST ${getToolPath(name)}`, (seen, response) =>
      sendReply(response, 200, words(bodyOf(seen)), { 'content-type': 'text/plain' }),
    )
  tool('test_simple_text', 'text/plain', 'This is a simple text response for testing.')
  tool('test_image_content', 'image/png', png)
  tool('test_audio_content', 'audio/wav', wav())
  tool('test_embedded_resource', 'application/octet-stream', 'This is an embedded resource content.')
  tool('test_multiple_content_types', `multipart/mixed; boundary=${boundary}`, mixed)
  api.setHandler(`POST ${getToolPath('test_error_handling')}`, (_, response) =>
    sendProblem(response, 409, { code: 'ALWAYS', detail: 'This tool always fails.' }),
  )
  for (const name of Object.keys(plain)) tool(name, 'text/plain', plain[name] ?? '')
  for (const name of echoing) says(name, (body) => `The person said ${JSON.stringify(body)}.`)
  says('greet', ({ name }) => `Hello, ${String(name)}!`)
}

const inputs = 'test_input_required_result_'

const plain: Record<string, string> = {
  test_tool_with_logging: 'It ran.',
  test_logging_tool: 'It ran.',
  json_schema_2020_12_tool: 'It ran.',
  test_sampling: 'No model was asked.',
  test_missing_capability: 'No model was asked.',
  [`${inputs}sampling`]: 'No model was asked.',
  [`${inputs}list_roots`]: 'Nobody was asked for roots.',
  [`${inputs}request_state`]: 'state-ok',
}

const echoing = [
  'test_elicitation',
  'test_streaming_elicitation',
  'test_elicitation_sep1034_defaults',
  'test_elicitation_sep1330_enums',
  `${inputs}elicitation`,
  `${inputs}multiple_inputs`,
  `${inputs}multi_round`,
  `${inputs}tampered_state`,
  `${inputs}capabilities`,
  'test_custom_header',
]

const bodyOf = (seen: RecordedRequest) =>
  seen.body.length === 0 ? {} : (parseRecordedBody(seen) as Record<string, unknown>)

interface Job {
  readonly id: string
  /** Milliseconds of `Date.now()`. */
  readonly from: number
  readonly to: number
  readonly outcome: { readonly status: 'completed' | 'failed'; readonly result?: unknown; readonly errors?: unknown[] }
}

/** A job at a time; half of it is done after half its time. */
function stateOf({ id, from, to, outcome }: Job, at = Date.now()): Record<string, unknown> {
  const over = at >= to
  const done = over ? 100 : Math.floor(((at - from) / (to - from)) * 100)
  return {
    id,
    type: 'fixture',
    status: over ? outcome.status : 'pending',
    total: 100,
    completed: outcome.status === 'failed' ? 0 : done,
    failed: outcome.status === 'failed' ? done : 0,
    result: over ? (outcome.result ?? null) : null,
    errors: over ? (outcome.errors ?? []) : [],
    createdAt: new Date(from).toISOString(),
    updatedAt: new Date(Math.min(at, to)).toISOString(),
  }
}

/** In milliseconds; longer than the bridge waits for a job that is over at once. */
const second = 1000

function answerJobs(api: FixtureApi): void {
  let made = 0
  const begin = (response: ServerResponse, milliseconds: number, outcome: Job['outcome']) => {
    const job = { id: `job-${++made}`, from: Date.now(), to: Date.now() + milliseconds, outcome }
    const path = `/v1/jobs/${job.id}`
    api.setHandler(`GET ${path}`, (_, answer) => sendReply(answer, 200, stateOf(job)))
    api.setHandler(`GET ${path}/sse`, (_, answer) => tell(answer, job))
    sendReply(response, 202, { jobId: job.id }, { location: path })
  }
  const starts = (name: string, milliseconds: number, outcome: Job['outcome'] = { status: 'completed' }) =>
    api.setHandler(`POST ${getToolPath(name)}`, (_, response) => begin(response, milliseconds, outcome))
  const broke = [{ code: 'FAILED', message: 'It broke, as it always does.' }]
  starts('test_tool_with_progress', 100)
  starts('failing_job', second, { status: 'failed', errors: broke })
  starts('protocol_error_job', second, { status: 'failed', errors: broke })
  starts('confirm_delete', second)
  starts('multi_input', second)
  api.setHandler(`POST ${getToolPath('slow_compute')}`, (seen, response) => {
    const { seconds, label } = bodyOf(seen)
    begin(response, Number(seconds) * second, { status: 'completed', result: { label } })
  })
  api.setHandler(`POST ${getToolPath('test_tool_with_task')}`, (seen, response) =>
    begin(response, second, { status: 'completed', result: { greeting: `Hello, ${String(bodyOf(seen)['name'])}!` } }),
  )
}

/** The job's states at its beginning, in its middle and at its end, none of them early. */
async function tell(response: ServerResponse, job: Job): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const at of [job.from, (job.from + job.to) / 2, job.to]) {
    await sleep(Math.max(0, at - Date.now()))
    response.write(`data: ${JSON.stringify(stateOf(job, at))}\n\n`)
  }
  response.end()
}

function answerPrompts(api: FixtureApi): void {
  const user = (content: object) => ({ role: 'user', content })
  const text = (words: string) => user({ type: 'text', text: words })
  const prompt = (name: string, messages: (given: URLSearchParams) => unknown[]) =>
    api.setHandler(`GET ${getPromptPath(name)}`, ({ url }, response) =>
      sendReply(response, 200, { messages: messages(new URL(url, api.url).searchParams) }),
    )
  prompt('test_simple_prompt', () => [text('This is a simple prompt for testing.')])
  prompt('test_prompt_with_arguments', (given) => [
    text(`Prompt with arguments: arg1='${given.get('arg1')}', arg2='${given.get('arg2')}'`),
  ])
  prompt('test_prompt_with_embedded_resource', (given) => [
    user({
      type: 'resource',
      resource: { uri: given.get('resourceUri'), mimeType: 'text/plain', text: 'Embedded resource content.' },
    }),
    text('Please process the embedded resource above.'),
  ])
  prompt('test_prompt_with_image', () => [
    user({ type: 'image', data: png.toString('base64'), mimeType: 'image/png' }),
    text('Please analyze the image above.'),
  ])
  prompt(`${inputs}prompt`, (given) => [text(`It is about ${given.get('context')}.`)])
}
