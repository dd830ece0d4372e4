import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { Pool } from 'undici'
import { makesNew } from '../../../tools/arguments/once.ts'
import { sortMembers } from '../../../tools/json.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import { createAnyTextArbitrary, createValueArbitrary } from '../../support/values/schema-arbitraries.ts'
import { startBareSession, parseMessages, defaultHeaders } from '../../support/bridge/bridge-client.ts'
import { startTestBridge, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { createModernRequest } from '../../support/bridge/modern-client.ts'
import {
  listPlainOperations,
  createPlainRequest,
  type PlainOperation,
  type PlainParameter,
  type PlainRequest,
} from '../../support/bridge/openapi-client.ts'

const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const document = JSON.parse(text) as Record<string, unknown>

/** The committed document's operations, as a client sees them that knows OpenAPI and no tools. */
const operations = listPlainOperations(document)

const catalogue = readCommittedCatalogue()

type ToolArguments = Record<string, unknown>

interface ApiRequestRecord {
  method: string
  target: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** What the API answers to the next request. */
interface PreparedAnswer {
  type: string
  body: Buffer
}

/** The committed document behind a bridge, and an API that keeps what it was asked and answers what it is told. */
class BridgeWire {
  preparedAnswer: PreparedAnswer = { type: 'application/json', body: Buffer.from('{}') }
  readonly #seen: ApiRequestRecord[] = []
  readonly #server = createServer((request, response) => {
    if (request.url === '/openapi.json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: target = '', headers } = request
      this.#seen.push({ method, target, headers, body: Buffer.concat(chunks) })
      response.writeHead(200, { 'content-type': this.preparedAnswer.type }).end(this.preparedAnswer.body)
    })
  })
  #bridge: TestBridge | undefined
  #pool: Pool | undefined
  #session: Record<string, string> = {}
  #turn = 0

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    this.#bridge = await startTestBridge(this.api, { LOG_LEVEL: 'fatal' })
    await this.#bridge.ready
    const { headers } = await startBareSession(this.#bridge.url, '2025-11-25')
    this.#session = { ...defaultHeaders, ...headers }
    this.#pool = new Pool(new URL(this.#bridge.url).origin)
  }

  async stop(): Promise<void> {
    await this.#pool?.close()
    await this.#bridge?.stop()
    this.#server.closeAllConnections()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }

  get api(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The result of a request of either era in turn, and what the API saw of it. */
  async ask(method: string, params: ToolArguments): Promise<{ result: ToolArguments; seen: ApiRequestRecord[] }> {
    this.#seen.length = 0
    const { message: sent, headers } =
      this.#turn++ % 2 === 0
        ? createModernRequest(method, params)
        : { message: { jsonrpc: '2.0', id: 1, method, params }, headers: this.#session }
    const answer = await (this.#pool as Pool).request({
      method: 'POST',
      path: '/mcp?read=tools',
      headers,
      body: JSON.stringify(sent),
    })
    const [message] = parseMessages({
      status: answer.statusCode,
      headers: answer.headers,
      text: await answer.body.text(),
    })
    const result = message?.['result']
    if (result === undefined) throw new Error(`${method} was refused: ${JSON.stringify(message)}`)
    return { result: result as ToolArguments, seen: [...this.#seen] }
  }
}

/** Random arguments that fit the tool's schema; filters by the fields and operators that the document names. */
function argumentsOf(operation: PlainOperation): fc.Arbitrary<ToolArguments> {
  const tool = catalogue.tools.get(operation.name) ?? catalogue.readTools.get(operation.name)
  if (!tool) throw new Error(`There is no tool ${operation.name}`)
  const lists = operation.parameters.filter(({ style }) => style === 'json')
  const { inputSchema, dryRunArgument } = tool.plan
  const properties = { ...(inputSchema['properties'] as ToolArguments) }
  // A seal is never random.
  for (const argument of [...lists.map((one) => one.argument), 'confirm']) Reflect.deleteProperty(properties, argument)
  const stated = (inputSchema['required'] ?? []) as string[]
  const required = stated.filter((name) => Object.hasOwn(properties, name))
  const plain = createValueArbitrary({ ...inputSchema, properties, required }) as fc.Arbitrary<ToolArguments>
  const ofLists = Object.fromEntries(lists.map((one) => [one.argument, listValues(one)]))
  const requiredKeys = lists.map((one) => one.argument).filter((name) => stated.includes(name))
  const listed = fc.record(ofLists, { requiredKeys })
  // A tool that shows a preview first sends the request itself only if the preview is all that is asked for.
  const previewed = tool.operation.preview !== null && dryRunArgument !== null ? { [dryRunArgument]: true } : {}
  return fc.tuple(plain, listed).map(([given, listArguments]) => {
    const args = JSON.parse(JSON.stringify({ ...listArguments, ...given, ...previewed })) as ToolArguments
    const [wrong] = tool.validateArguments(args)
    if (wrong) throw new Error(`${wrong.instancePath} ${wrong.message ?? ''}: ${JSON.stringify(args)}`)
    return args
  })
}

/** `filters` and `sorters` by field, and as lists with groups. */
function listValues({ name, schema }: PlainParameter): fc.Arbitrary<unknown> {
  const members = (schema['items'] as { properties: Record<string, { enum?: string[] }> }).properties
  const oneOf = (member: string) => fc.constantFrom(...(members[member]?.enum ?? []))
  if (name === 'sorters') {
    const order = fc.constantFrom('asc', 'desc')
    return fc.oneof(
      fc.dictionary(oneOf('field'), order, { maxKeys: 3, noNullPrototype: true }),
      fc.array(fc.record({ field: oneOf('field'), order }), { maxLength: 3 }),
    )
  }
  const operator = oneOf('operator').filter((word) => word !== 'and' && word !== 'or')
  const value = fc.oneof(createAnyTextArbitrary(), fc.integer(), fc.boolean())
  const condition = fc.record({ field: oneOf('field'), operator, value })
  const group = fc.record({
    operator: fc.constantFrom('and', 'or'),
    value: fc.array(condition, { minLength: 1, maxLength: 2 }),
  })
  const operators = fc.dictionary(operator, value, { minKeys: 1, maxKeys: 2, noNullPrototype: true }).map((made) =>
    // These two take no value, which is said by true.
    Object.fromEntries(Object.entries(made).map(([word, one]) => [word, word === 'null' || word === 'nnull' || one])),
  )
  return fc.oneof(
    fc.dictionary(oneOf('field'), operators, { maxKeys: 3, noNullPrototype: true }),
    fc.array(fc.oneof(condition, group), { maxLength: 3 }),
  )
}

/** What a plain client sends; null for what no address can carry: text that is no Unicode, an id that leaves. */
function createSendableRequest(operation: PlainOperation, given: ToolArguments): PlainRequest | null {
  const leaves = /^\.{0,2}$|[\u0000-\u001f\u007f]/
  const inPath = operation.parameters.filter((one) => one.in === 'path')
  if (inPath.some(({ argument }) => leaves.test(String(given[argument])))) return null
  try {
    return createPlainRequest(operation, given)
  } catch (cause) {
    if (cause instanceof URIError) return null
    throw cause
  }
}

/**
 * The arguments as they are sent: without those of the bridge, and in the order of their names where equal calls have to
 * be equal requests.
 */
function getSentArguments({ name }: PlainOperation, given: ToolArguments): ToolArguments {
  const tool = catalogue.tools.get(name)
  if (!tool) return given
  const { plan, operation } = tool
  const { again, ...others } = given
  const sent = plan.takesAgain || again === undefined ? others : given
  if (!makesNew(operation) && !operation.needsConfirmation) return sent
  const { sorters } = sent
  return { ...(sortMembers(sent) as ToolArguments), ...(sorters !== undefined && { sorters }) }
}

/** For loops: the assertion library is asked only where it has something to say. */
function same(actual: unknown, expected: unknown, about = () => ''): void {
  if (actual !== expected) expect(actual, about()).to.equal(expected)
}

/** Calls the operation with random arguments: what reaches the API is what a plain client sends, byte for byte. */
async function sendsWhatAPlainClientSends(wire: BridgeWire, operation: PlainOperation, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(argumentsOf(operation), async (given) => {
    const { result, seen } = await wire.ask('tools/call', { name: operation.name, arguments: given })
    const [first, ...others] = seen
    same(others.length, 0)
    const plain = createSendableRequest(operation, getSentArguments(operation, given))
    same(first === undefined, plain === null, () => JSON.stringify(result))
    same(result['isError'] === true, plain === null)
    if (!first || !plain) return
    same(first.method, plain.method)
    same(first.target, plain.target)
    same(first.headers['content-type'] ?? null, plain.contentType)
    same(first.body.equals(plain.body), true, () => `${first.body.toString()} is not ${plain.body.toString()}`)
  })
  await fc.assert(property, { numRuns })
}

const otherTypes = ['text/plain; charset=utf-8', 'application/octet-stream', 'text/csv; charset=iso-8859-1']

/** Bodies of all kinds under the types that the document names. */
const bodies = ({ successMediaTypes }: PlainOperation) =>
  fc.record({
    type: fc.constantFrom(...successMediaTypes, ...otherTypes),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      createAnyTextArbitrary().map((content) => Buffer.from(content)),
      fc.json().map((json) => Buffer.from(` ${json}\n`)),
      fc.constantFrom(Buffer.from('\ufeffa,b\r\n'), Buffer.from('{"n":1e400}'), Buffer.from([0xff, 0xfe])),
    ),
  })

/** Reads the resource at random addresses: the API is asked as by a plain client, and its body is what is read. */
async function readsWhatRestAnswers(wire: BridgeWire, operation: PlainOperation, numRuns: number): Promise<void> {
  const args = argumentsOf(operation)
  const property = fc.asyncProperty(args, bodies(operation), fc.boolean(), async (given, apiAnswer, asJson) => {
    const plain = createSendableRequest(operation, given)
    fc.pre(plain !== null)
    wire.preparedAnswer = apiAnswer
    const uri = wire.api + (asJson ? jsonAddress(operation, given, plain.target) : plain.target)
    const {
      result,
      seen: [first, ...others],
    } = await wire.ask('resources/read', { uri })
    same(others.length, 0)
    same(`${first?.method} ${first?.target}`, `GET ${plain.target}`)
    const contents = result['contents'] as { uri: string; mimeType: string; text?: string; blob?: string }[]
    const [{ uri: named, mimeType, text: read, blob = '' }] = contents as [(typeof contents)[0]]
    same(contents.length, 1)
    same(named, uri)
    same(mimeType, apiAnswer.type)
    const bytes = read === undefined ? Buffer.from(blob, 'base64') : Buffer.from(read)
    same(bytes.equals(apiAnswer.body), true, () => `${bytes.toString('hex')} is not ${apiAnswer.body.toString('hex')}`)
  })
  await fc.assert(property, { numRuns })
}

/** The same address with filters and sorters as URL-encoded JSON, as the template of RFC 6570 has it. */
function jsonAddress({ parameters }: PlainOperation, given: ToolArguments, target: string): string {
  const query = parameters
    .filter(({ in: place, argument }) => place === 'query' && given[argument] !== undefined)
    .map(({ name, argument }) => {
      const value = given[argument]
      return `${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`
    })
  return [target.split('?')[0], ...(query.length === 0 ? [] : [query.join('&')])].join('?')
}

/** Both properties of every operation; where there is nothing to choose a tenth of the runs does. */
export function testRequests(title: string, runs: number): void {
  const runsOf = ({ parameters, body }: PlainOperation) => (parameters.length === 0 && !body ? runs / 10 : runs)
  describe(title, function () {
    this.timeout(runs * 600)
    const wire = new BridgeWire()
    before(() => wire.start())
    after(() => wire.stop())

    for (const operation of operations) {
      it(`sends what a plain client of the document sends, byte for byte: ${operation.name}`, () =>
        sendsWhatAPlainClientSends(wire, operation, runsOf(operation)))
    }
    for (const operation of operations.filter(({ exposedAs }) => exposedAs === 'resource')) {
      it(`reads the body that the API answered, byte for byte: ${operation.name}`, () =>
        readsWhatRestAnswers(wire, operation, runsOf(operation)))
    }
  })
}
